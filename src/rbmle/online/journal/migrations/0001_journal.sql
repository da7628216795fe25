-- Journals of one database: events in one order each, numbered 1, 2, 3, …, and what they come to.
-- The text of `data` is kept as it was written, for the checksum of a row is over all that it says.

CREATE TABLE rbmle_journals (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE rbmle_events (
    journal integer NOT NULL REFERENCES rbmle_journals (id),
    seq bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    time double precision NOT NULL,
    subject text COLLATE "C",
    key text COLLATE "C",
    data text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    crc bigint NOT NULL,
    PRIMARY KEY (journal, seq),
    UNIQUE (journal, subject, key)
);

-- Numbers do not get smaller by being squeezed.
ALTER TABLE rbmle_events ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE rbmle_snapshots (
    journal integer NOT NULL REFERENCES rbmle_journals (id),
    seq bigint NOT NULL,
    base boolean NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (journal, seq)
);

ALTER TABLE rbmle_snapshots ALTER COLUMN content SET STORAGE EXTERNAL;
