-- +goose Up

-- What a requester is: a person's number and a program's are counted apart, so
-- that without it user 7 and key 7 would be one. '' for cases from before.
ALTER TABLE cancellations ADD COLUMN requester_role text NOT NULL DEFAULT '';

-- What oversight asks of a case: one narrow row each, in the order of days, so
-- that a report over weeks reads no case and no sale. Sums by day, store, person,
-- terminal and reason would have as many rows: a person cancels a few times a day.
-- Nobody writes it but the triggers below, in the transaction of the case: it is
-- never behind.
CREATE TABLE case_facts (
    case_id        bigint PRIMARY KEY REFERENCES cancellations,
    sale_id        bigint NOT NULL,
    day            date NOT NULL,           -- of the sale, as in day_totals
    store_id       bigint NOT NULL,
    terminal_id    bigint NOT NULL,
    requester      text NOT NULL CHECK (requester ~ '^([uk][0-9]+)?$'), -- u7 a person, k7 a key, '' nobody: on the terminal
    requester_name text NOT NULL,
    teller         text NOT NULL CHECK (teller ~ '^(u[0-9]+)?$'), -- the person who typed the sale or gave its file; '' nobody
    source         text NOT NULL,           -- of the sale
    reason         text NOT NULL,
    state          text NOT NULL,
    amount         bigint NOT NULL,         -- centavos
    last4          text NOT NULL,
    card_brand     text NOT NULL,
    sold_at        timestamptz NOT NULL,
    requested_at   timestamptz NOT NULL,
    cutoff_at      timestamptz NOT NULL
) WITH (fillfactor = 80); -- a case changes its state a few times

-- The state is in no index, so that a case that moves rewrites its row alone.
CREATE INDEX case_facts_day ON case_facts (day, store_id);

-- Who told a sale that no terminal did: the entry of a sale typed by hand names
-- the person, an import the one who confirmed it.
CREATE FUNCTION teller_of(s sales) RETURNS text LANGUAGE sql STABLE SET search_path = public, pg_temp
    RETURN CASE s.source
        WHEN 'hand' THEN (SELECT 'u' || e.actor_id FROM audit_entries e
            WHERE e.sale_id = s.id AND e.action = 'sales.recorded' AND e.outcome = 'success' AND e.actor_id IS NOT NULL
            ORDER BY e.at, e.id LIMIT 1)
        WHEN 'import' THEN (SELECT 'u' || (i.actor ->> 'UserID') FROM imports i WHERE i.id = s.batch_id AND i.actor ->> 'UserID' ~ '^[1-9]')
    END;

-- +goose StatementBegin
CREATE FUNCTION keep_case_facts() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    -- On a table of one's own it would write whatever that table says.
    IF TG_RELID <> 'public.cancellations'::regclass THEN
        RAISE EXCEPTION 'only cases have facts' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        UPDATE case_facts SET state = NEW.state WHERE case_id = NEW.id;
        RETURN NULL;
    END IF;
    INSERT INTO case_facts
    SELECT NEW.id, s.id, s.business_day, NEW.store_id, NEW.terminal_id,
           coalesce(CASE NEW.requester_role WHEN 'integration' THEN 'k' ELSE 'u' END || NEW.requested_by, ''), NEW.requester,
           coalesce(teller_of(s), ''), s.source, NEW.reason, NEW.state, s.amount, s.last4, s.card_brand,
           s.sold_at, NEW.requested_at, NEW.cutoff_at
    FROM sales s WHERE s.id = NEW.sale_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER cancellations_opened AFTER INSERT ON cancellations
    FOR EACH ROW EXECUTE FUNCTION keep_case_facts();
CREATE TRIGGER cancellations_moved AFTER UPDATE ON cancellations
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION keep_case_facts();

INSERT INTO case_facts
SELECT c.id, s.id, s.business_day, c.store_id, c.terminal_id,
       coalesce(CASE e.actor_role WHEN 'integration' THEN 'k' ELSE 'u' END || c.requested_by, ''), c.requester,
       coalesce(teller_of(s), ''), s.source, c.reason, c.state, s.amount, s.last4, s.card_brand,
       s.sold_at, c.requested_at, c.cutoff_at
FROM cancellations c
JOIN sales s ON s.id = c.sale_id
LEFT JOIN LATERAL (SELECT actor_role FROM audit_entries e
    WHERE e.sale_id = c.sale_id AND e.cancellation_id = c.id AND e.action = 'cancellation.requested' LIMIT 1) e ON true;

-- A person's word by which a case went on or ended: with evidence, by a
-- provider's report, or by asking again after it was said that nothing was canceled.
CREATE TABLE approvals (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    case_id       bigint NOT NULL REFERENCES cancellations,
    store_id      bigint NOT NULL,
    day           date NOT NULL, -- of the sale
    kind          text NOT NULL CHECK (kind IN ('settled', 'report', 'again')),
    approver      text NOT NULL CHECK (approver ~ '^[uk][0-9]+$'),
    approver_name text NOT NULL,
    approved_at   timestamptz NOT NULL
);

CREATE INDEX approvals_day ON approvals (day, store_id);

INSERT INTO approvals (case_id, store_id, day, kind, approver, approver_name, approved_at)
SELECT f.case_id, f.store_id, f.day, CASE WHEN e.after ->> 'detail' LIKE 'settled%' THEN 'settled' ELSE 'report' END,
       CASE e.actor_role WHEN 'integration' THEN 'k' ELSE 'u' END || e.actor_id, e.actor_name, e.at
FROM audit_entries e JOIN case_facts f ON f.case_id = e.cancellation_id
WHERE e.action = 'cancellation.moved' AND e.actor_id IS NOT NULL
  AND e.after ->> 'detail' IN ('settledCanceled', 'settledNotCanceled', 'reconciledCanceled', 'reconciledNotCanceled')
UNION ALL
SELECT f.case_id, f.store_id, f.day, 'again', f.requester, f.requester_name, f.requested_at
FROM case_facts f
WHERE f.requester <> '' AND EXISTS (
    SELECT FROM cancellations c WHERE c.sale_id = f.sale_id AND c.id < f.case_id AND c.state = 'notCanceled');

-- Somebody has looked at what stood out, and says what they found. A mark covers
-- the very cases that they saw: one that joins later is nobody's yet. A later
-- look is another row.
CREATE TABLE oversight_marks (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind      text NOT NULL CHECK (kind IN ('person', 'approver', 'late', 'card', 'own', 'quick', 'large', 'refusals')),
    subject   text NOT NULL CHECK (subject <> '' AND length(subject) <= 200),
    members   bigint[] NOT NULL CHECK (cardinality(members) > 0), -- cases; entries of the trail for refusals
    stores    bigint[] NOT NULL, -- of the cases: whoever sees fewer is not shown the note
    note      text NOT NULL CHECK (note <> '' AND length(note) <= 500),
    marked_at timestamptz NOT NULL,
    marked_by bigint NOT NULL,
    marker    text NOT NULL,
    -- The mark of the same kind and subject before it: each is followed by one, so
    -- that of two that were made at once the later has to see the other first.
    follows   bigint CHECK (follows < id),
    UNIQUE (kind, subject, id),
    FOREIGN KEY (kind, subject, follows) REFERENCES oversight_marks (kind, subject, id)
);

CREATE UNIQUE INDEX oversight_marks_follows ON oversight_marks (kind, subject, coalesce(follows, 0));

CREATE TRIGGER oversight_marks_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON oversight_marks
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER approvals_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON approvals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE oversight_marks ENABLE ALWAYS TRIGGER oversight_marks_append_only;
ALTER TABLE approvals ENABLE ALWAYS TRIGGER approvals_append_only;
