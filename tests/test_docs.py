"""What the documents show runs: the skeleton of a policy in CONTRIBUTING. Examples and guides are in tests/examples."""

import re
import runpy
from pathlib import Path

import numpy as np

from rbmle.policies import Policy

ROOT = Path(__file__).parents[1]


def test_the_skeleton_of_a_policy_works(tmp_path):
    skeleton, check = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.S)
    file = tmp_path / "my_method.py"
    file.write_text(skeleton + "\n" + check, encoding="utf-8")
    try:
        my_method = runpy.run_path(str(file))["MyMethod"]
        np.testing.assert_allclose(my_method(n_features=2, c=3.0).scores(np.eye(2)), [3.0, 3.0])
    finally:
        Policy.registry.pop("MyMethod", None)


def test_the_readme_names_every_policy():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    ours = {name for name, cls in Policy.registry.items() if cls.__module__.startswith("rbmle.policies.")}
    assert [name for name in sorted(ours) if f"`{name}`" not in text] == []


def test_every_place_the_architecture_names_is_there():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    places = set(re.findall(r"`([a-z_/]+(?:/|\.py|\.json))`", text))
    assert len(places) > 20
    assert [place for place in sorted(places) if not (ROOT / "src" / "rbmle" / place).exists()] == []
    packages = {path.name for path in (ROOT / "src" / "rbmle").iterdir() if path.is_dir() and path.name[0] != "_"}
    assert [name for name in sorted(packages) if f"{name}/" not in places] == []
    assert all((ROOT / "docs" / picture).exists() for picture in re.findall(r"\]\((images/[^)]+)\)", text))
