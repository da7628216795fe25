"""How the files beside this one were made, by version 0.1 alone: `python make.py` with its sources on PYTHONPATH.

Every policy learns 40 rounds by its own choices and is saved; what it does next goes into expected.json: the scores of
one set of contexts, then the arms of six rounds in which it goes on learning.
"""

import json
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
FEATURES, ARMS, LEARNT, NEXT = 3, 5, 40, 6

# File name: class, arguments.
CASES = {
    "LinRBMLE": ("LinRBMLE", {"bias": "Power(scale=2.0, exponent=0.3)", "regularization": 0.5}),
    "LinUCB": ("LinUCB", {"alpha": 0.5}),
    "BayesUCB": ("BayesUCB", {"c": 1.0, "horizon": 200}),
    "BayesUCB-variance": ("BayesUCB", {"spread": "variance"}),
    "GPUCB": ("GPUCB", {}),
    "GPUCBTuned": ("GPUCBTuned", {}),
    "KnowledgeGradient": ("KnowledgeGradient", {"horizon": 200}),
    "KnowledgeGradient-variance": ("KnowledgeGradient", {"horizon": 200, "spread": "variance"}),
    "KGStar": ("KGStar", {"horizon": 200, "noise": 4.0}),
    "KGStar-variance": ("KGStar", {"horizon": 200, "noise": 4.0, "spread": "variance"}),
    "LinTS": ("LinTS", {"seed": 3}),
    "VIDS": ("VIDS", {"samples": 500, "seed": 3}),
    "VIDS-published": ("VIDS", {"samples": 500, "seed": 3, "grid": 100, "when_certain": "least_gain"}),
    "VIDS-grid": ("VIDS", {"samples": 500, "grid": 100}),
    "VIDS-least_gain": ("VIDS", {"samples": 500, "when_certain": "least_gain"}),
    "EpsilonGreedy": ("EpsilonGreedy", {"epsilon": "Constant(value=0.2)", "seed": 3}),
    "Uniform": ("Uniform", {"seed": 3}),
    "IDS": ("IDS", {}),
    "GLMRBMLE": ("GLMRBMLE", {}),
    "GLMRBMLE-gaussian": ("GLMRBMLE", {"index": "gaussian"}),
    "GLMRBMLE-online": ("GLMRBMLE", {"memory": "online"}),
    "GLMRBMLE-extended": ("GLMRBMLE", {"family": "Extended(base=Logistic(fractions=True), limit=2.0)"}),
    "GLMRBMLE-poisson": ("GLMRBMLE", {"family": "poisson"}),
    "UCBGLM": ("UCBGLM", {"horizon": 200, "tau": 4, "seed": 3}),
    "LaplaceTS": ("LaplaceTS", {"seed": 3}),
    "LaplaceTS-published": ("LaplaceTS", {"definition": "published", "seed": 3}),
    "EpsilonGreedyGLM": ("EpsilonGreedyGLM", {"epsilon": "Constant(value=0.2)", "seed": 3}),
}


def rounds(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Contexts (B, K, d) of norm 1 and rewards (B, K) of 0 and 1."""
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((count, ARMS, FEATURES))
    contexts /= np.linalg.norm(contexts, axis=2, keepdims=True)
    chances = 1.0 / (1.0 + np.exp(-contexts @ np.array([1.0, -1.0, 0.5])))
    return contexts, (rng.random((count, ARMS)) < chances).astype(float)


def go_on(policy, contexts, rewards):
    """The arms of some rounds in which the policy learns."""
    arms = []
    for X, r in zip(contexts, rewards, strict=True):
        arms.append(int(policy.choose(X)))
        policy.update(X[arms[-1]], r[arms[-1]])
    return arms


def main() -> None:
    """Write all files."""
    import rbmle
    from rbmle import families, schedules

    known = {**vars(schedules), **vars(families)}
    expected = {}
    for file, (name, arguments) in CASES.items():
        built = {key: eval(v, known) if isinstance(v, str) and "(" in v else v for key, v in arguments.items()}
        policy = getattr(rbmle, name)(n_features=FEATURES, **built)
        go_on(policy, *rounds(LEARNT, seed=1))
        policy.save(HERE / f"{file}.npz")
        contexts, rewards = rounds(NEXT, seed=2)
        expected[file] = {
            "scores": policy.copy().scores(contexts[0]).tolist(),
            "arms": go_on(policy, contexts, rewards),
        }
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
