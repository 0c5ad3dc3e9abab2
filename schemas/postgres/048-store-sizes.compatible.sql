-- What each store took, noted every hour: how fast it grows is told by it. Rows of more than seven days ago are deleted.
create table store_sizes (
  -- log, profiles or analytics.
  store text not null,
  noted_at_ms int8 not null,
  bytes int8 not null,
  primary key (store, noted_at_ms)
);
