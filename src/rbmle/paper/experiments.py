"""The regret experiments of the paper: its policies on the sample paths of one setting."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from functools import partial

from rbmle import params
from rbmle.paper.data import prepared
from rbmle.paper.legacy import play_chain
from rbmle.paper.plan import FULL, Plan
from rbmle.paper.published.glm import authors_glm_policies, published_glm_policies
from rbmle.paper.published.linear import authors_policies, published_policies
from rbmle.paper.settings import SEED, TRIALS, Setting
from rbmle.params import Integer, OneOf
from rbmle.policies import VIDS, Policy
from rbmle.simulation import Results
from rbmle.simulation.experiment import Experiment, Source, recorded_rounds

# Those of the published GLM methods that draw from the published stream, trial after trial.
LEGACY = ("UCB-GLM", "Laplace-TS")


def experiment(
    part: str, setting: Setting, policies: dict[str, Policy], horizon: int, trials: int, record: int | None = None
) -> Experiment:
    """Policies on the first `trials` paths of a setting, for `horizon` rounds."""
    # The published stream of the small GLM data is known for all of their rounds.
    data_horizon = horizon if setting.family == "gaussian" else setting.horizon
    source = Source(
        name=(setting, data_horizon),
        settings=asdict(setting),
        identity=["paper", asdict(setting), data_horizon],
        load=partial(prepared, setting, data_horizon),
        free=prepared.cache_clear,
    )
    rounds = recorded_rounds(record, horizon)
    return Experiment(policies, source, horizon, trials, SEED, rounds, kind=f"{part} · {short_name(setting)}")


def linear_experiment(part: str, setting: Setting, variant: str, plan: Plan, trials: int = TRIALS) -> Experiment:
    """The nine linear methods, as published or by their authors."""
    make = published_policies if variant == "published" else authors_policies
    policies = make(len(setting.theta), plan.linear_horizon)
    names = plan.linear_methods or tuple(policies)
    chosen = {name: _with_samples(policies[name], plan.samples) for name in names}
    return experiment(part, setting, chosen, plan.linear_horizon, min(trials, plan.linear_trials))


def glm_experiment(part: str, setting: Setting, variant: str, plan: Plan, trials: int = TRIALS) -> Experiment:
    """The three generalized linear methods. The published ones with randomness draw from the published stream."""
    make = published_glm_policies if variant == "published" else authors_glm_policies
    policies = make(len(setting.theta), setting.n_arms, plan.glm_horizon)
    made = experiment(part, setting, policies, plan.glm_horizon, min(trials, plan.glm_trials))
    if variant == "authors":
        return made
    return replace(made, chains={n: partial(play_chain, policies[n], setting, made.rounds) for n in LEGACY})


def only(made: Experiment, *names: str) -> Experiment:
    """The same experiment with some of its policies; their trials are found under the same keys."""
    chains = {name: made.chains[name] for name in names if name in made.chains}
    return replace(made, policies={name: made.policies[name] for name in names}, chains=chains)


def glm_regret(
    setting: Setting,
    definition: str = "published",
    *,
    methods: Iterable[str] | None = None,
    trials: int = TRIALS,
    n_jobs: int | None = 1,
) -> Results:
    """Regret of GLM-RBMLE, UCB-GLM and Laplace-TS on the sample paths of one of the settings `rbmle.paper.GLM`.

    definition: "published" draws random numbers from the legacy generator, as the published tables did: trial after
        trial from one stream. "authors" is an ordinary simulation of the same paths.
    methods: some of the three names; all by default.
    trials: the first so many of the 50.
    """
    params.require("glm_regret", "definition", definition, OneOf("published", "authors"))
    params.require("glm_regret", "trials", trials, Integer(1))
    made = glm_experiment("glm-regret", setting, definition, FULL, trials)
    if methods is not None:
        made = only(made, *methods)
    return made.run(n_jobs=n_jobs, backend="threading", progress=False)


def same_definition(one: Experiment, other: Experiment) -> list[str]:
    """Names whose policies are the same in both."""
    return [name for name, known in one.identities.items() if known == other.identities.get(name)]


def short_name(setting: Setting) -> str:
    """For instance "static θ=(-0.3, 0.5, 0.8)"."""
    kind = "static" if setting.static else "varying"
    return f"{kind} θ=({', '.join(f'{x:g}' for x in setting.theta)})".replace("-", "−")


def _with_samples(policy: Policy, samples: int) -> Policy:
    if not isinstance(policy, VIDS) or policy.samples == samples:
        return policy
    return type(policy)(**{**policy.params, "samples": samples})
