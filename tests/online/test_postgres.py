"""The journal in PostgreSQL, on a real server."""

import pytest

from rbmle.online.journal import PostgresJournal
from rbmle.testing import JournalChecks

pytestmark = pytest.mark.long


class TestPostgres(JournalChecks):
    @pytest.fixture
    def journal(self, server):
        self.opened = [PostgresJournal(server.database())]
        yield self.opened[0]
        for each in self.opened:
            each.close()

    def again(self, journal):
        self.opened.append(PostgresJournal(journal.url, create=False))
        return self.opened[-1]
