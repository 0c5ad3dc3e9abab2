-- The members of a saved audience, by the ids that each had when they entered: `SELECT * FROM audience_members_now(project = …,
-- audience = …)`. Of evaluations that count, and of live audiences as far as they have come. As the tables that it reads, it is
-- the same whatever generation of the other tables is asked.
CREATE OR REPLACE VIEW audience_members_now AS
SELECT user, internal_id, user_id, anonymous_id, evaluated_at AS entered_at
FROM audience_changes FINAL
WHERE project_id = {project:String} AND audience_id = {audience:String} AND change = 'entered'
  AND (user, evaluated_at) GLOBAL IN
  (
      SELECT user, evaluated_at
      FROM audience_members FINAL
      WHERE project_id = {project:String} AND audience_id = {audience:String} AND change = 'entered'
  );
