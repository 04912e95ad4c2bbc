-- +goose Up

-- When the tables were compared with the trail, and what came of it. The trail has an entry
-- of each, which names the first differences.
CREATE TABLE comparisons (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at              timestamptz NOT NULL, -- of the snapshot that was compared
    ended_at        timestamptz NOT NULL,
    state           text NOT NULL CHECK (state IN ('intact', 'altered', 'undecided')),
    compared        bigint NOT NULL,
    not_bound       bigint NOT NULL,
    archived        bigint NOT NULL,
    differences     bigint NOT NULL,
    new_differences bigint NOT NULL, -- that the comparison before did not find
    result          jsonb NOT NULL
);
CREATE INDEX comparisons_list ON comparisons (at DESC, id DESC);

-- A value in which a row and the trail differ. No secret is one.
CREATE TABLE comparison_differences (
    comparison_id bigint NOT NULL REFERENCES comparisons DEFERRABLE INITIALLY DEFERRED,
    n             integer NOT NULL,
    kind          text NOT NULL CHECK (kind IN ('changed', 'missing', 'unrecorded', 'duplicate')),
    of_table      text NOT NULL,
    of_row        text NOT NULL CHECK (length(of_row) <= 300),
    field         text NOT NULL,
    recorded      text NOT NULL CHECK (length(recorded) <= 400),
    found         text NOT NULL CHECK (length(found) <= 400),
    entry_id      bigint NOT NULL, -- 0: none says it
    sale_id       bigint NOT NULL, -- 0: of no sale
    store_id      bigint NOT NULL,
    PRIMARY KEY (comparison_id, n)
);
CREATE INDEX comparison_differences_sale ON comparison_differences (comparison_id, sale_id) WHERE sale_id <> 0;

INSERT INTO database_rights (job, may, thing) VALUES
    ('server', 'SELECT, INSERT', 'comparisons'),
    ('server', 'SELECT, INSERT', 'comparison_differences');

-- What was found stays found, and nobody calls the tables intact without the entry.
CREATE TRIGGER comparisons_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON comparisons
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER comparison_differences_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON comparison_differences
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE comparisons ENABLE ALWAYS TRIGGER comparisons_stay;
ALTER TABLE comparison_differences ENABLE ALWAYS TRIGGER comparison_differences_stay;
CREATE CONSTRAINT TRIGGER comparisons_are_in_the_trail AFTER INSERT ON comparisons DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('', 'audit.compared');
CREATE CONSTRAINT TRIGGER comparison_differences_are_in_the_trail AFTER INSERT ON comparison_differences DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION keep_subject_in_trail('', 'audit.compared');

-- Told to all who oversee, and nobody switches that off.
INSERT INTO alert_rules (kind, active, count, minutes, amount, factor, all_stores, store_ids, emails, language, webhook, quiet_minutes, changed_at, changed_by)
VALUES ('tables', true, 0, 0, 0, 0, true, '{}', '{}', 'es-MX', false, 0, '2026-01-01T06:00:00Z', 'Veinte');
ALTER TABLE alert_rules ADD CONSTRAINT alert_rules_tables_is_told CHECK (kind <> 'tables' OR active);
