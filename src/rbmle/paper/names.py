"""The paper's names of the methods, and ours."""

from rbmle.paper.published.glm import authors_glm_policies, published_glm_policies
from rbmle.paper.published.linear import authors_policies, published_policies
from rbmle.report import Cell, Section, Table


def names_section() -> Section:
    """A table from column names of the paper to classes of this library."""
    authors = {**authors_policies(3, 1000), **authors_glm_policies(5, 10, 1000)}
    published = {**published_policies(3, 1000), **published_glm_policies(5, 10, 1000)}
    rows: list[list[Cell | str]] = []
    for name, policy in authors.items():
        other = published[name]
        alike = "the same" if policy.params == other.params else "the same class, other settings"
        shown = alike if type(policy) is type(other) else f"`{type(other).__name__}`"
        rows.append([name, f"`{type(policy).__name__}`", policy.title, shown])
    table = Table(
        "The paper's column names, and the classes of this library.",
        ["in the paper", "by its authors: class", "what it is", "as published"],
        rows,
        "names",
        align="llll",
    )
    return Section("Names of the methods", [table])
