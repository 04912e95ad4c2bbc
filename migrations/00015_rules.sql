-- +goose Up

-- A version of the rules says only what it changes: what is NULL stays as it
-- was, by an earlier version or by the setting the server was started with. So a
-- change that is planned for next week does not undo one that is made meanwhile.
--
-- Nothing may be set that no service could work with; that an answer takes less
-- than 20 s is unusual, that it takes less than 5 s has not been seen.
ALTER TABLE rules ALTER COLUMN managers_settle DROP NOT NULL;
ALTER TABLE rules
    ADD COLUMN effective_at  timestamptz,
    ADD COLUMN cutoff_minute integer CHECK (cutoff_minute BETWEEN 30 AND 1439), -- after midnight in the cut-off's zone
    ADD COLUMN margin_s      integer CHECK (margin_s BETWEEN 1 AND 600),
    ADD COLUMN answer_s      integer CHECK (answer_s BETWEEN 5 AND 60),
    ADD COLUMN result_s      integer CHECK (result_s BETWEEN 30 AND 900),
    ADD COLUMN quiet_s       integer CHECK (quiet_s BETWEEN 30 AND 900),
    ADD COLUMN print_receipt boolean,
    ADD COLUMN click         text NOT NULL DEFAULT '', -- drawn with the preview: the same click is the same version
    ADD COLUMN note          text NOT NULL DEFAULT '' CHECK (length(note) <= 300),
    ADD COLUMN taken_back_at timestamptz,
    ADD COLUMN taken_back_by text NOT NULL DEFAULT '';
UPDATE rules SET effective_at = set_at;
ALTER TABLE rules ALTER COLUMN effective_at SET NOT NULL;
ALTER TABLE rules ADD CHECK (effective_at >= set_at);
CREATE UNIQUE INDEX rules_click ON rules (click) WHERE click <> '';
-- What has taken effect was so; only what is planned can be taken back.
ALTER TABLE rules ADD CHECK ((taken_back_at IS NULL) = (taken_back_by = ''));
ALTER TABLE rules ADD CHECK (taken_back_at < effective_at);

-- Taken back once is taken back: a version that came again would change days
-- that people were told something else of.
-- +goose StatementBegin
CREATE FUNCTION refuse_changed_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.taken_back_at IS NOT NULL THEN
        RAISE EXCEPTION 'rules that were taken back stay so' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE TRIGGER rules_taken_back_once BEFORE UPDATE ON rules
    FOR EACH ROW EXECUTE FUNCTION refuse_changed_rules();

-- What the sheet's "print receipt" starts with in a store, or for a reason, from
-- the version on that says so. NULL: as the general rule has it.
CREATE TABLE rule_receipts (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    rules_id bigint NOT NULL REFERENCES rules,
    store_id bigint REFERENCES stores,
    reason   text REFERENCES reasons,
    print    boolean,
    CHECK (num_nonnulls(store_id, reason) = 1)
);
CREATE UNIQUE INDEX rule_receipts_store ON rule_receipts (rules_id, store_id) WHERE store_id IS NOT NULL;
CREATE UNIQUE INDEX rule_receipts_reason ON rule_receipts (rules_id, reason) WHERE reason IS NOT NULL;

-- Reasons are renamed, put in order, retired and restored; two that read the same
-- could not be told apart.
ALTER TABLE reasons ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE reasons ADD CHECK (label_es <> '' AND length(label_es) <= 60);
ALTER TABLE reasons ADD CHECK (label_en <> '' AND length(label_en) <= 60);
CREATE UNIQUE INDEX reasons_label_es ON reasons (lower(label_es)) WHERE retired_at IS NULL;
CREATE UNIQUE INDEX reasons_label_en ON reasons (lower(label_en)) WHERE retired_at IS NULL;

-- The connection page counts the answers of a week by kind.
CREATE INDEX attempts_started ON attempts (started_at);
CREATE INDEX inquiries_sent ON inquiries (sent_at);
