-- +goose Up

-- The names of people that no page shows any more, because the law asks for it: pages say
-- Persona 17 instead. The trail and its proofs stay as they were written. A person has a
-- row for each name under which they are in the trail, and one for their address.
CREATE TABLE blocked_names (
    user_id bigint NOT NULL REFERENCES users,
    name    text NOT NULL CHECK (name <> ''),
    PRIMARY KEY (user_id, name)
);
INSERT INTO database_rights (job, may, thing) VALUES ('server', 'SELECT, INSERT, DELETE', 'blocked_names');
