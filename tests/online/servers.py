"""A PostgreSQL server of its own, from the system's packages: started in a temporary folder, stopped at the end."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

MISSING = "no PostgreSQL server here (Debian: apt-get install postgresql)"


def folder_of_programs():
    """Where `initdb` and `pg_ctl` are; None where there are none."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return places[-1].parent if places else None


class Server:
    """A server that listens at a socket in its folder, and nowhere else."""

    def __init__(self):
        programs = folder_of_programs()
        if programs is None or os.name != "posix":
            pytest.skip(MISSING)
        self.programs, self.user = programs, []
        self.folder = Path(tempfile.mkdtemp(prefix="rbmle-pg-"))
        if os.getuid() == 0:  # the server refuses to run as root
            try:
                owner = pwd.getpwnam("postgres")
            except KeyError:
                pytest.skip("no user 'postgres' to run a server as")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self.user = ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups", "--"]
        self.data = self.folder / "data"
        self._do("initdb", "-A", "trust", "-U", "rbmle", "-E", "UTF8", "--locale=C", "--no-sync")
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.write(f"\nlisten_addresses = ''\nunix_socket_directories = '{self.folder}'\nfsync = off\n")
        self.start()
        self.count = 0

    def _do(self, program, *arguments):
        command = [*self.user, str(self.programs / program), "-D", str(self.data), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, check=False)
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"

    def start(self):
        self._do("pg_ctl", "start", "-w", "-t", "60", "-l", str(self.folder / "log"))

    def stop(self, how="fast"):
        self._do("pg_ctl", "stop", "-w", "-t", "60", "-m", how)

    def url(self, database="postgres"):
        return f"postgresql://rbmle@/{database}?host={self.folder}"

    def database(self):
        """The URL of a new and empty database."""
        import psycopg

        self.count += 1
        name = f"test{self.count}_{int(time.time() * 1e6)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def close(self):
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def server():
    pytest.importorskip("psycopg", reason='psycopg is not installed: pip install "rbmle[postgres]"')
    found = Server()
    yield found
    found.close()
