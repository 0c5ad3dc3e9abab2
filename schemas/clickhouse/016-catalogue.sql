-- What the catalogue of events and properties is answered from: a projection, which every part has of its own rows. It comes and
-- goes with the part, so that a generation has its own, and a merge that folds copies of a message makes it again of the rows that
-- stay.
ALTER TABLE track_rows MODIFY SETTING deduplicate_merge_projection_mode = 'rebuild';

-- The properties of the event: for each the kind (s text, d number, t boolean, [ list, { object, n null) and then the name, in
-- order, NUL between them. Kept, so that a merge reads no JSON. The sink sends it where ClickHouse cannot read the text: with
-- numbers beyond 64 bits or doubles.
ALTER TABLE track_rows ADD COLUMN IF NOT EXISTS property_kinds LowCardinality(String) DEFAULT
    arrayStringConcat(arraySort(arrayMap(
        pair -> concat(translate(substring(pair.2, 1, 1), '"0123456789-f', 'sdddddddddddt'), pair.1),
        JSONExtractKeysAndValuesRaw(properties_text))), '\0');

-- By whole numbers: docs/clickhouse.md says why.
ALTER TABLE track_rows ADD PROJECTION IF NOT EXISTS catalog_counts
(
    SELECT project_id, event, property_kinds, count(), min(toUnixTimestamp64Micro(timestamp)),
           max(toUnixTimestamp64Micro(timestamp))
    GROUP BY project_id, event, property_kinds
);

-- For what is there already; in the background.
ALTER TABLE track_rows MATERIALIZE PROJECTION IF EXISTS catalog_counts;
