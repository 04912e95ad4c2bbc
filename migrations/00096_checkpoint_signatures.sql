-- +goose Up

-- What others signed over a checkpoint: the time stamp of an authority (RFC 3161), or the
-- cosignature of a witness (C2SP tlog-cosignature). The line is one of the checkpoint's note;
-- size and sealed_at say of which, in checkpoints or in checkpoint_beats.
CREATE TABLE checkpoint_signatures (
    size        bigint NOT NULL CHECK (size > 0),
    sealed_at   timestamptz NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('stamp', 'cosignature')),
    name        text NOT NULL CHECK (name <> ''),
    line        text NOT NULL CHECK (line LIKE '— %' AND length(line) < 65536),
    at          timestamptz NOT NULL, -- the time in it, by the clock of who signed
    received_at timestamptz NOT NULL, -- by the clock of the process that asked
    PRIMARY KEY (size, sealed_at, kind, name)
);
SELECT trail.guard('public.checkpoint_signatures');

-- Who is asked to sign, and what came of it last. Where veinte seal is a process of its own it
-- asks, and the server's pages read here how that goes.
CREATE TABLE attesters (
    kind          text NOT NULL CHECK (kind IN ('stamp', 'cosignature')),
    name          text NOT NULL CHECK (name <> ''),
    position      integer NOT NULL,              -- in the settings
    address       text NOT NULL,                 -- without what signs in to it
    key           text NOT NULL DEFAULT '',      -- of a witness: its public key
    since         timestamptz NOT NULL,          -- asked since
    wanted_at     timestamptz,                   -- somebody wants what is newest signed now
    next_at       timestamptz NOT NULL,          -- not asked before
    tries         integer NOT NULL DEFAULT 0,    -- that failed since it last signed
    trouble       text NOT NULL DEFAULT '' CHECK (trouble IN ('', 'attest.away', 'attest.wrong', 'attest.refused')),
    detail        text NOT NULL DEFAULT '',
    trouble_since timestamptz,
    signed_origin text NOT NULL DEFAULT '',      -- of what it signed last
    signed_size   bigint NOT NULL DEFAULT 0,
    signed_at     timestamptz,                   -- the time in that signature
    received_at   timestamptz,
    seen_size     bigint NOT NULL DEFAULT 0,     -- of a witness: what it says that it has seen
    PRIMARY KEY (kind, name)
);

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT', 'checkpoint_signatures'),
    ('sealer', 'SELECT, INSERT', 'checkpoint_signatures'),
    ('server', 'SELECT, UPDATE (wanted_at, next_at)', 'attesters'),
    ('sealer', 'SELECT, INSERT, UPDATE, DELETE', 'attesters');
