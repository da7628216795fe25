"""Names that cannot be mistaken, and plain data that comes back as what it was."""

import importlib.util
import json
import math
from dataclasses import dataclass

import numpy as np
import pytest

from rbmle import LinUCB, load, plain, schedules
from rbmle.errors import StateFileError
from rbmle.families import Logistic
from rbmle.plain import Registry, from_plain, to_plain
from rbmle.policies import Policy
from rbmle.problems.noise import Gaussian, Noise
from rbmle.schedules import Power, Schedule, Sqrt

MODULE = """
from dataclasses import dataclass
import rbmle

@dataclass(kw_only=True, eq=False)
class {name}(rbmle.LinUCB):
    '''A user's.'''
    {title}
"""


@pytest.fixture
def imported(tmp_path):
    """Modules of users with a policy each; forgotten afterwards."""
    before = {**Policy.registry}, {**Policy.registry.unlisted}

    def import_module(module, name, title="title = 'of a user'"):
        file = tmp_path / f"{module}.py"
        file.write_text(MODULE.format(name=name, title=title), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(module, file)
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        return getattr(made, name)

    yield import_module
    for registry, old in zip((Policy.registry, Policy.registry.unlisted), before, strict=True):
        registry.clear()
        registry.update(old)


def test_a_user_s_class_cannot_stand_in_for_ours(imported, tmp_path):
    LinUCB(n_features=2).save(tmp_path / "ours.npz")
    theirs = imported("shadow", "LinUCB")
    assert Policy.registry["LinUCB"] is LinUCB
    assert Policy.registry["shadow.LinUCB"] is theirs
    assert type(load(tmp_path / "ours.npz")) is LinUCB
    theirs(n_features=2).save(tmp_path / "theirs.npz")
    assert type(load(tmp_path / "theirs.npz")) is theirs


def test_ours_take_their_name_also_when_they_come_later(imported):
    registry = Registry("test kind")
    try:
        theirs = imported("early", "LinUCB")
        registry.add(theirs)
        assert list(registry) == ["LinUCB"]
        registry.add(LinUCB)
        assert dict(registry) == {"LinUCB": LinUCB, "early.LinUCB": theirs}
    finally:
        del plain.KINDS["test kind"]


def test_users_classes_of_one_name_are_kept_apart(imported, tmp_path):
    one, two = imported("one", "Mine"), imported("two", "Mine")
    for cls in (one, two):
        cls(n_features=2).save(tmp_path / "p.npz")
        assert type(load(tmp_path / "p.npz")) is cls
    again = imported("one", "Mine")
    assert Policy.registry.find("one.Mine") is again
    assert one not in Policy.registry.values()


def test_a_policy_without_a_title_is_not_listed_but_found(imported, tmp_path):
    quiet = imported("quiet", "Quiet", title="title = ''")
    assert "Quiet" not in Policy.registry
    quiet(n_features=2).save(tmp_path / "p.npz")
    assert type(load(tmp_path / "p.npz")) is quiet
    assert Policy.registry.find("Quiet") is quiet
    other = imported("other", "Quiet", title="title = ''")
    with pytest.raises(StateFileError, match=r"policy 'Quiet' may be other.Quiet or quiet.Quiet"):
        Policy.registry.find("Quiet")
    assert Policy.registry.find("other.Quiet") is other


def test_a_class_of_a_started_program_is_found_where_it_is_imported(imported):
    started = imported("library", "Started")
    assert Policy.registry.find("__main__.Started") is started
    with pytest.raises(StateFileError, match=r"Unknown policy '__main__.LinUCB'"):
        Policy.registry.find("__main__.LinUCB")
    with pytest.raises(
        StateFileError, match=r"Unknown policy 'elsewhere.Started'. Import elsewhere first. Known: .*LinUCB"
    ):
        Policy.registry.find("elsewhere.Started")
    with pytest.raises(StateFileError, match="name of a policy must be text. Got 3"):
        Policy.registry.find(3)


@dataclass(frozen=True)
class Mix(Schedule):
    """A schedule made of another, in a field that is called like its kind."""

    schedule: Schedule = Sqrt()
    knots: tuple[float, ...] = (1.0, 2.0)

    def formula(self, t):
        return self.schedule(t)


SIMPLE = [None, True, 3, 0.1, math.inf, "text", [1.0, [2]], (1.0, (2, "a"))]
OBJECTS = [Power(2.0, 0.3), Mix(Power(), (3.0,)), Logistic(fractions=True).extended(2.0), Gaussian(scale=0.5)]


@pytest.mark.parametrize("value", [*SIMPLE, *OBJECTS], ids=repr)
def test_plain_data_come_back(value):
    data = json.loads(json.dumps(to_plain(value)))
    assert from_plain(data) == value
    assert type(from_plain(data)) is type(value)


def test_names_in_plain_data():
    assert to_plain(Sqrt()) == {"schedule": "rbmle.Sqrt", "arguments": {"scale": 1.0}}
    assert to_plain(Mix())["schedule"] == f"{__name__}.Mix"
    assert to_plain(Gaussian()) == {"noise": "rbmle.gaussian", "arguments": {"scale": 1.0}}
    assert to_plain(LinUCB(n_features=2))["arguments"] == {"n_features": 2, "regularization": 1.0, "alpha": 1.0}
    assert to_plain(np.float64(0.5)) == 0.5


def test_what_version_0_1_wrote():
    assert from_plain({"schedule": "Power", "scale": 2.0, "exponent": 0.3}) == Power(2.0, 0.3)
    base = {"family": "Logistic", "fractions": True}
    assert from_plain({"family": "Extended", "base": base, "limit": 2.0}) == Logistic(fractions=True).extended(2.0)


def test_a_user_s_noise_keeps_ours():
    try:

        @dataclass(frozen=True)
        class Loud(Noise):
            name = "gaussian"

            def rewards(self, rng, means):
                return means

        assert Noise.registry["gaussian"] is Gaussian
        assert type(from_plain(to_plain(Loud()))) is Loud
    finally:
        Noise.registry.pop(Noise.registry.name_of(Loud))


def test_what_has_no_plain_form():
    class Undecorated(Schedule):
        def formula(self, t):
            return t

    try:
        with pytest.raises(
            StateFileError, match=r"bias=.* cannot be written as plain data. Make its class a dataclass"
        ):
            to_plain(Undecorated(), "bias")
    finally:
        Schedule.registry.pop("Undecorated")
    with pytest.raises(StateFileError, match=r"bias\[1\]=.* is a function"):
        to_plain([1.0, math.sqrt], "bias")
    with pytest.raises(StateFileError, match="c=.* cannot be written as plain data"):
        to_plain({1: 2}, "c")
    described = to_plain([math.sqrt, {1: np.ones(2)}, 1j, (Sqrt(),)], strict=False)
    assert described == ["sqrt", {"1": [1.0, 1.0]}, "1j", [to_plain(Sqrt())]]
    json.dumps(described)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"schedule": "os.system"}, "Unknown schedule 'os.system'"),
        ({"schedule": ["Sqrt"]}, "name of a schedule must be text"),
        ({"schedule": "Sqrt", "width": 1.0}, "'Sqrt' does not take these arguments: .*width"),
        ({"schedule": "Schedule"}, "Unknown schedule 'Schedule'"),
        ({"command": "rm"}, "Plain data must name one of .*schedule.* Got only command"),
        ({}, "Got only nothing"),
    ],
)
def test_plain_data_that_say_nothing_known(data, message):
    with pytest.raises(StateFileError, match=message):
        from_plain(data)


def test_every_schedule_of_ours_is_known():
    ours = {name for name, cls in vars(schedules).items() if isinstance(cls, type) and cls.__base__ is Schedule}
    assert ours <= set(Schedule.registry)
