/**
 * Generated from schemas/openapi/*.json by `npm run openapi:types`: not written by hand, and neither linted nor formatted.
 * All that the service takes and answers, as types alone.
 */
export interface paths {
    readonly "/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What this is, with links */
        readonly get: operations["getFrontPage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/session": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Who is signed in
         * @description What the session of the cookie opens. Null without a cookie, or where the session has ended or its key has been revoked.
         */
        readonly get: operations["getConsoleSession"];
        readonly put?: never;
        /**
         * Sign in with a key
         * @description Answers with a cookie that stands for the key, in requests of the console's page, for 7 days, and 12 hours after its last use. A key of the scope `write` alone opens no session. After ten failures a minute from one address further wrong keys are 429; a right key always enters. Only a page of this service is answered: the request needs the header `Tidemark-Console: 1` and an `Origin` that is this service's.
         */
        readonly post: operations["signIn"];
        /**
         * Sign out
         * @description Ends the session of the cookie, and takes the cookie back. Only a page of this service is answered: the request needs the header `Tidemark-Console: 1` and an `Origin` that is this service's.
         */
        readonly delete: operations["signOut"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/docs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The API reference, a page for people */
        readonly get: operations["getReference"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/docs/{file}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What the page of the API reference loads */
        readonly get: operations["getReferenceFile"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/healthz": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whether the process is up */
        readonly get: operations["getHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/legacy/add-event": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Add an event of a user in a session
         * @description `user_id` and `session_id` are those that get-user returned together; a pair that does not belong together, or to this project, is 400.
         */
        readonly post: operations["addEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/legacy/create-project-user": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Get or create a user, and begin a session
         * @description The same as project-user, under its other name.
         *
         *     Creates the user where there is none of this id. The internal `user_id` of the answer is the same at every call, the `session_id` is new; both may be stored and used in add-event without end. `custom_parameters` are traits: merged, and removed where null.
         */
        readonly post: operations["createProjectUser"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/legacy/project-user": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Get or create a user, and begin a session
         * @description Creates the user where there is none of this id. The internal `user_id` of the answer is the same at every call, the `session_id` is new; both may be stored and used in add-event without end. `custom_parameters` are traits: merged, and removed where null.
         */
        readonly post: operations["projectUser"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Metrics in Prometheus' text format
         * @description Where `METRICS_KEY` is set, it asks for that key, or for an admin key.
         */
        readonly get: operations["getMetrics"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** This document */
        readonly get: operations["getOpenApi"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/readyz": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Whether the process can do its work
         * @description An outage of a store that ingest does not need does not make ingest unready; `parts` names it.
         */
        readonly get: operations["getReadiness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Who changed what
         * @description The changes that were made over HTTP, by the command line and by the console, newest first. An entry is written before the request that made the change is answered, and is never changed or deleted. No entry has a secret in it.
         */
        readonly get: operations["listAuditEntries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/dead-letters": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Messages that readers could not process, newest first
         * @description Reads the topic of dead letters from its start; with `Accept: application/x-ndjson` the progress is streamed.
         */
        readonly get: operations["listDeadLetters"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/dead-letters/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One dead letter, with its decoded message */
        readonly get: operations["getDeadLetter"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/dead-letters/{id}/edit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Appends a corrected message in place of one that a reader refused
         * @description The body has the members of `record` (of `GET /v1/admin/dead-letters/{id}`) that change; a member that is left out stays as it is. It is checked as ingest checks a call. `topic`, `project_id`, `message_id`, `internal_id` and `session_id` cannot be changed. The correction is a new record under the same message id and arrival, and in the order of messages it takes the place right after the message that it corrects; the dead letter is settled as `edited`. Sent again, it appends nothing and answers the same. An edit that was interrupted is finished by sending it again.
         */
        readonly post: operations["editDeadLetter"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/dead-letters/drop": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Forgets messages: they stay on the log, and are listed no more */
        readonly post: operations["dropDeadLetters"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/dead-letters/replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Appends messages to their topics again, as they were */
        readonly post: operations["replayDeadLetters"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/generations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Every reading of the log into profiles and into analytics */
        readonly get: operations["listGenerations"];
        readonly put?: never;
        /**
         * Reads the log again, beside what is live
         * @description What is being built already is continued. The result of the job compares it with what is live.
         */
        readonly post: operations["buildGeneration"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/generations/{kind}/{number}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /** Changes how fast a generation is read */
        readonly patch: operations["changeGeneration"];
        readonly trace?: never;
    };
    readonly "/v1/admin/generations/{kind}/{number}/compare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Compares a generation with what is live */
        readonly post: operations["compareGeneration"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/generations/{kind}/{number}/drop": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Deletes what a generation holds that is not live */
        readonly post: operations["dropGeneration"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/generations/{kind}/{number}/rollback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Makes the generation live again that was so before this one */
        readonly post: operations["rollbackGeneration"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/generations/{kind}/{number}/swap": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Makes a generation live */
        readonly post: operations["swapGeneration"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/imports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Imports and dry runs, newest first */
        readonly get: operations["listImports"];
        readonly put?: never;
        /**
         * Imports a file of history
         * @description From an uploaded file, or from a path within `IMPORT_DIR` on the machine of the process that is asked, which alone runs it. One import after the other; dry runs wait for nobody. The rows are those of `tidemark import`: docs/import.md. Lines count once however often a file is imported, if they have a `timestamp`.
         */
        readonly post: operations["startImport"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/imports/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How far an import has come */
        readonly get: operations["getImport"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/imports/{id}/refused": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The lines that an import refused, in the order of the file
         * @description They are on the machine that ran the import, for 30 days.
         */
        readonly get: operations["listRefusedLines"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/imports/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Continues an import that was stopped, failed or interrupted
         * @description To be asked of the machine that began it: `args.host` names it.
         */
        readonly post: operations["resumeImport"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/imports/files": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Uploads a file, or its beginning
         * @description Where the service is one process (role `all`). A request may take 40 s: send larger files in parts, the first here, the others with `PATCH`. An `Idempotency-Key` is refused (400).
         */
        readonly post: operations["uploadImportFile"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/imports/files/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How much of a file has arrived */
        readonly get: operations["getImportFile"];
        readonly put?: never;
        readonly post?: never;
        /** Removes an uploaded file */
        readonly delete: operations["deleteImportFile"];
        readonly options?: never;
        readonly head?: never;
        /** Uploads the next part of a file */
        readonly patch: operations["continueImportFile"];
        readonly trace?: never;
    };
    readonly "/v1/admin/imports/preview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** The first twenty rows of a file, and what its columns would fill */
        readonly post: operations["previewImport"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/jobs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What takes longer than a request, newest first */
        readonly get: operations["listJobs"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/jobs/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How far a job has come, and its result */
        readonly get: operations["getJob"];
        readonly put?: never;
        readonly post?: never;
        /** Cancels a job, whichever process runs it */
        readonly delete: operations["cancelJob"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The keys of the installation, newest first */
        readonly get: operations["listAdminKeys"];
        readonly put?: never;
        /** Makes a key of the installation */
        readonly post: operations["createAdminKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/keys/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Revokes a key for good */
        readonly delete: operations["revokeKey"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/partitions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How far each partition of the event log has been read
         * @description By topic and number.
         */
        readonly get: operations["listPartitions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/projects": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** All projects, newest first */
        readonly get: operations["listProjects"];
        readonly put?: never;
        /** Makes a project */
        readonly post: operations["createProject"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/projects/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One project */
        readonly get: operations["getProject"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Deletes a project
         * @description An empty project, without a key in use, audiences and users, is deleted at once. With its name as `confirm`, so is one that is not empty: from then on nothing is accepted or answered for it, its keys and audiences are gone, and a job deletes what Postgres and ClickHouse have of it. Sent again while anything is left, it is answered with the same job, which goes on where it had failed, was cancelled or interrupted. Messages stay on the log for its retention, and are skipped.
         */
        readonly delete: operations["deleteProject"];
        readonly options?: never;
        readonly head?: never;
        /** Changes what the body names */
        readonly patch: operations["changeProject"];
        readonly trace?: never;
    };
    readonly "/v1/admin/projects/{id}/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The keys of a project, newest first */
        readonly get: operations["listProjectKeys"];
        readonly put?: never;
        /** Makes a key of a project */
        readonly post: operations["createProjectKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How the installation is, and what wants attention
         * @description Of every process of the installation, in one answer: each tells of itself every five seconds. It is answered, with 200, also while a store is unavailable: what cannot be found out within three seconds is null, and `verification` is left out. Figures are a second old at most; disk, sizes, dead letters and the verification ten.
         */
        readonly get: operations["getStatus"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/verifications": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Verifications, newest first */
        readonly get: operations["listVerifications"];
        readonly put?: never;
        /** Compares the event log with both stores by project and hour */
        readonly post: operations["startVerification"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/admin/verifications/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What a verification found, by project and hour
         * @description The newest hour first. The hours of the twenty newest verifications that were started are kept, and those of the last that the service did by itself: 10,000 of each, those that differ first.
         */
        readonly get: operations["getVerification"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/alias": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record an earlier id of a user
         * @description A call of analytics SDKs, recorded as a tracked event named `alias`.
         */
        readonly post: operations["alias"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The saved audiences, newest first */
        readonly get: operations["listAudiences"];
        readonly put?: never;
        /**
         * Save an audience under a name
         * @description With a `refresh` it is evaluated at once and from then on, and its history kept.
         */
        readonly post: operations["saveAudience"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A saved audience */
        readonly get: operations["getAudience"];
        /**
         * Change a saved audience, all of it
         * @description Left out, `refresh` is null.
         */
        readonly put: operations["replaceAudience"];
        readonly post?: never;
        /**
         * Delete a saved audience and its history
         * @description The history is deleted within a minute after.
         */
        readonly delete: operations["deleteAudience"];
        readonly options?: never;
        readonly head?: never;
        /** Change what is named of a saved audience */
        readonly patch: operations["changeAudience"];
        readonly trace?: never;
    };
    readonly "/v1/audiences/{id}/changes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Who entered and left a saved audience since a point in time
         * @description A JSON object a line (NDJSON), each a user whom an evaluation found to have entered or left, oldest first. The last line has `next_cursor`: a stream without it was cut, and goes on by `after`. What fails on the way cuts it, too. With `wait` the answer is sent once there are changes, or when the time is over: then it is the last line alone, whose `through` is the `since` of the next request.
         */
        readonly get: operations["listAudienceChanges"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{id}/evaluate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Evaluate a saved audience now
         * @description Its history then says who entered and left since the evaluation before. Waits up to half a minute for an evaluation under way to end.
         */
        readonly post: operations["evaluateAudience"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{id}/explain": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How a saved audience is asked for, and what that costs */
        readonly get: operations["explainSavedAudience"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{id}/history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How many users a saved audience had at every evaluation
         * @description Newest first. The newest 10,000 evaluations are kept.
         */
        readonly get: operations["listAudienceHistory"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{id}/members": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Everybody who is in a saved audience now
         * @description A JSON object a line (NDJSON), each a user, in the order of internal ids, as of one evaluation for all pages of one cursor. The last line has `next_cursor`: a stream without it was cut, and goes on by `after`. What fails on the way cuts it, too.
         */
        readonly get: operations["listAudienceMembers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{id}/preview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How many users a saved audience has now, and who some of them are */
        readonly get: operations["previewSavedAudience"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{id}/versions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The definitions that a saved audience has and had
         * @description Newest first, each as it was sent. The newest 100 are kept.
         */
        readonly get: operations["listAudienceVersions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{id}/why": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whether one user is in a saved audience, and why */
        readonly get: operations["explainSavedVerdict"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/compare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Who enters and leaves if a definition is changed
         * @description One query answers it, over both definitions at one instant.
         */
        readonly post: operations["compareAudiences"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/explain": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * How an audience is asked for, and what that costs
         * @description The question is not run: ClickHouse is asked what it would read.
         */
        readonly post: operations["explainAudience"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/preview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** How many users an audience has, and who some of them are */
        readonly post: operations["previewAudience"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/why": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Whether one user is in an audience, and why
         * @description Found out from the events and traits of that user alone.
         */
        readonly post: operations["explainVerdict"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/batch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a series of calls in one request
         * @description Nothing of a batch is recorded unless all of it is valid, but where `Prefer: handling=lenient` says otherwise. The items keep their order. Also at `/v1/b`, `/api/public/apps/batch`, `/api/s/s2s/batch`, `/v1/import`, each with or without a final slash. A body in the form of an SDK may have any Content-Type and its key in `writeKey`; of its members those that cannot be used are mended or left out (`adjusted`). A batch in the form of an SDK is lenient: `rejected` lists the items that were left out.
         */
        readonly post: operations["batch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/catalog/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The names of events, with counts
         * @description The names of the project's events, how often each happened, and when first and last. Where 500,000 rows or fewer are counted, each message counts once, and `exact` is true. Where there are more, a copy of a message counts until analytics has merged it away. What was recorded is in the catalogue within a minute. At most the 10,000 most frequent names are listed.
         */
        readonly get: operations["listCatalogEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/catalog/events/{name}/properties": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The properties of an event, with their types
         * @description The properties that the event was sent with, how often each was there, of which types its values were, and when it was there first and last. Members of members are not listed. Where 500,000 rows or fewer are counted, each message counts once, and `exact` is true. Where there are more, a copy of a message counts until analytics has merged it away. What was recorded is in the catalogue within a minute. At most the 1,000 most frequent properties are listed. Examples are of the last day on which the event happened.
         */
        readonly get: operations["listCatalogProperties"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/catalog/traits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The traits of users, with their types
         * @description The traits that users have, how many users have each, of which types the values are, and when the oldest and the newest of these values were set. Where 500,000 values or fewer are counted, each counts once, and `exact` is true. Where there are more, a value that was replaced or deleted counts until analytics has merged it away. What was recorded is in the catalogue within a minute. At most the 10,000 most frequent names are listed.
         */
        readonly get: operations["listCatalogTraits"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A user's events by an anonymous id or an internal id
         * @description As the events of a user by `user_id`. Exactly one of the two ids is given. With `anonymous_id` they are those of the user who is known by that id alone: what was sent with a `user_id` beside it is among the events of that user.
         */
        readonly get: operations["listEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/events/counts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * How many events, users or how much of a number, by time and by value
         * @description A message sent again counts once. Whole numbers of 64 bits, and numbers below 1,000,000,000 with at most six decimals, are summed exactly; other numbers are added as doubles.
         */
        readonly post: operations["countEvents"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/events/live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What is recorded, as it happens
         * @description Server-sent events from the end of the log: twice a second one with the rows of that time, at most the 25 newest, and exact counts of what matched. A row has `type`, `event` of a track, the ids, the times, `source`, where the record stands in the log, the `receipt` that tells when its message can be read, `adjusted` where a member of an SDK's call was mended or left out (a list of `path`, a pointer from the call, and `message`), and its `properties` or `traits` (`{}` with `"cut": true` where they have more than 8,000 characters). The id of an event, sent as `Last-Event-ID`, resumes the stream there; a listener more than 200,000 records behind goes on at the end, and `skipped` counts the records that it missed. The event `end` says why the service ends the stream: its data is a problem. A process has 64 listeners, 32 of one project, with 16 different filters, 8 of one project.
         */
        readonly get: operations["watchEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/events/query": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Events of all users by their names, properties, times and users
         * @description Newest first by timestamp, then message id, event and user. A message counts once a day (UTC). A page of large events has fewer than its limit and has a cursor all the same. A question without a beginning of within whose events are rare reads far back: past the limits of the project it is 422.
         */
        readonly post: operations["queryEvents"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/group": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record that a user belongs to a group
         * @description A call of analytics SDKs, recorded as a tracked event named `group`.
         */
        readonly post: operations["group"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/identify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Add or update a user and record traits
         * @description Recommended once when the user is created, and again when traits change. A trait given as null is removed from the profile. Trait by trait the newest message wins, in whatever order they come in. Also at `/v1/i`, `/api/public/apps/identify`, `/api/s/s2s/identify`, each with or without a final slash. A body in the form of an SDK may have any Content-Type and its key in `writeKey`; of its members those that cannot be used are mended or left out (`adjusted`).
         */
        readonly post: operations["identify"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/page": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record that a user saw a page
         * @description A call of analytics SDKs, recorded as a tracked event named `page`.
         */
        readonly post: operations["page"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/receipts/{receipt}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Whether what was sent can be read
         * @description With `wait` the answer waits until both are true or the time is over: a caller, a test or a job can read its own writes. Of one project 3,000 may wait at once in a process; past that it is 429. A receipt that this service did not sign is 400. Where the event log has been replaced by a shorter one since, both are false until the log is as long again.
         */
        readonly get: operations["getReceipt"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/refusals": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What was refused in the last 30 days
         * @description Requests of the project's keys that `POST` endpoints refused, and the items of batches that were left out; under the code `adjusted` also what of accepted messages of SDKs was mended or left out. Grouped by key, path and problem, that which came last first. A request with several problems counts once for each, of which the first ten are counted. A group appears within some ten seconds. A project has 1,000 groups a day; what is beyond them is counted in one group with the code `other`. Requests without a valid key (401) belong to no project and are not counted; what was counted in the last seconds before a crash is lost.
         */
        readonly get: operations["listRefusals"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/screen": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record that a user saw a screen
         * @description A call of analytics SDKs, recorded as a tracked event named `screen`.
         */
        readonly post: operations["screen"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How a project is
         * @description What it recorded in each of the last 24 hours, what of it was refused, how far the stores are behind the log, and what the last verification found of it. What cannot be found out now is null, and `verification` is left out.
         */
        readonly get: operations["getProjectStatus"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/track": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Record something a user did
         * @description Also at `/v1/t`, `/api/public/apps/track`, `/api/s/s2s/track`, each with or without a final slash. A body in the form of an SDK may have any Content-Type and its key in `writeKey`; of its members those that cannot be used are mended or left out (`adjusted`).
         */
        readonly post: operations["track"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/users": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Users by the beginning of their id, a trait or another id
         * @description Exactly one of `prefix`, `trait`, `anonymous_id` and `internal_id` is given. With `prefix`: in the order of user ids, by their bytes. With `trait`: by internal id, as analytics has the traits, which follows what was sent within some seconds. With `anonymous_id`: first the user who is known by that id alone, then the users beside whose `user_id` it was sent, by internal id. With `internal_id`: that user. The list is empty where there is none. To get the next page send `next_cursor` as `cursor`, until it is null: a page may hold fewer than `limit`, even none.
         */
        readonly get: operations["listUsers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/users/{user_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A user's profile
         * @description Follows what was sent within about a second; a receipt tells when.
         */
        readonly get: operations["getUser"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/users/{user_id}/audiences": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * In which saved audiences a user is
         * @description Every saved audience of the project, newest first, evaluated now, all at one instant and under the limits of one question. A page has 100, as many as a project has unless `MAX_PROJECT_AUDIENCES` says more.
         */
        readonly get: operations["listUserAudiences"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/users/{user_id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A user's events, newest first
         * @description By timestamp, then by message id, then by event, downwards. Of a message sent again, by its `message_id` and event, the first copy of each day (UTC) of `timestamp` is listed, whatever the page. To get the next page send `next_cursor` as `cursor`, until it is null: a page of large events may hold fewer than `limit`. What is recorded meanwhile makes no page miss or repeat an event that was there.
         */
        readonly get: operations["listUserEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/users/{user_id}/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Everything about one person
         * @description A JSON object a line (NDJSON), each with its `type`: the profile with the versions of its traits, the anonymous ids beside the user id, identifies and sessions with what they say of traits, tracks (newest first), and the entries into and exits from saved audiences. The last line is `end` with the number of lines before it: an export without it was cut, as by a failure on the way, and is to be asked again. A process makes 8 exports at once, 4 of one project.
         */
        readonly get: operations["exportUser"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/users/{user_id}/traits/{name}/history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The values that a trait of a user was given
         * @description Newest first, by `version`: the later `timestamp` is newer, one in the future counts as the arrival, and of equal times the later arrival. Each value with the message that gave it, and the newer one that arrived first. It goes back to the upgrade to the version that has it; a replay of analytics makes it whole. To get the next page send `next_cursor` as `cursor`, until it is null: a page of large values may hold fewer than `limit`. The list is empty where the user never had the trait.
         */
        readonly get: operations["getTraitHistory"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Accepted: {
            /** @description What of an SDK's call could not be used, and was mended or left out by itself: the first 100. Only where there was something. */
            readonly adjusted?: readonly components["schemas"]["Error"][];
            /** @description Pointers to members of the body that nothing reads, the first 100: probably spelled wrongly. Only for the interface's own form, and only where there are some. */
            readonly ignored?: readonly string[];
            /** @description The caller's id of the message, or ours. */
            readonly message_id: string;
            readonly receipt: components["schemas"]["ReceiptToken"];
            /** @constant */
            readonly success: true;
        };
        /**
         * Add event
         * @description Records something a user did in a session.
         */
        readonly AddEvent: {
            readonly event: {
                readonly name: components["schemas"]["Event"];
                readonly parameters?: components["schemas"]["Properties"];
            };
            readonly message_id?: components["schemas"]["MessageId"];
            /** @description The session that get-user returned with it. */
            readonly session_id: string;
            /** @description The internal id that get-user returned. */
            readonly user_id: string;
        };
        readonly AddEventAnswer: {
            readonly message: string;
            readonly result: {
                readonly insertedEvent: {
                    /** @description The `message_id` of the event. */
                    readonly insertedId: string;
                };
                readonly receipt: components["schemas"]["ReceiptToken"];
            };
            /** @constant */
            readonly success: 200;
        };
        readonly AdminKey: {
            readonly created_at: string;
            readonly id: string;
            readonly last_used_day: string | null;
            readonly name: string | null;
            readonly project_id: string | null;
            readonly revoked_at: string | null;
            /** @description The first of `scopes`. */
            readonly scope: string;
            readonly scopes: readonly ("write" | "read" | "audiences" | "admin")[];
        };
        readonly AdminKeyBody: {
            readonly name?: string;
        };
        readonly AdminProject: {
            readonly created_at: string;
            readonly id: string;
            readonly name: string;
            readonly query_max_memory_bytes: number | null;
            readonly query_max_ms: number | null;
            readonly query_max_rows: number | null;
            readonly rate_limit: number | null;
            readonly rate_limit_bytes: number | null;
            readonly timezone: string;
        };
        readonly Attention: {
            /** @enum {unknown} */
            readonly code: "not_ready" | "log_unavailable" | "log_incomplete" | "log_replaced" | "store_unavailable" | "clock_skewed" | "spool_in_use" | "reader_missing" | "reader_failed" | "reader_stuck" | "reader_behind" | "dead_letters_waiting" | "disk_low" | "verification_found_difference" | "verification_old";
            /** @description The page of the documentation that says what to do. */
            readonly link: string;
            /** @description For people. */
            readonly reason: string;
        };
        /**
         * Audience
         * @description Which users are meant: one condition, or several joined by all, any and not, at most 10 groups within groups and 100 conditions (members of where count too). Members that are not described here are refused, so that a misspelt one is not silently left out.
         * @example {
         *       "all": [
         *         {
         *           "event": "Order Completed",
         *           "where": [
         *             {
         *               "property": "total",
         *               "gt": 50
         *             }
         *           ],
         *           "count": {
         *             "at_least": 3
         *           },
         *           "within": {
         *             "last": "30d"
         *           }
         *         },
         *         {
         *           "trait": "plan",
         *           "is": "pro"
         *         },
         *         {
         *           "not": {
         *             "trait": [
         *               "address",
         *               "country"
         *             ],
         *             "in": [
         *               "DE",
         *               "AT"
         *             ]
         *           }
         *         }
         *       ]
         *     }
         */
        readonly Audience: components["schemas"]["AudienceAll"] | components["schemas"]["AudienceAny"] | components["schemas"]["AudienceNot"] | components["schemas"]["AudienceTraitCondition"] | components["schemas"]["AudienceEventCondition"];
        /**
         * All
         * @description The users whom every one of these means.
         */
        readonly AudienceAll: {
            readonly all: components["schemas"]["AudienceParts"];
        };
        /**
         * Any
         * @description The users whom at least one of these means.
         */
        readonly AudienceAny: {
            readonly any: components["schemas"]["AudienceParts"];
        };
        readonly AudienceBody: {
            readonly definition: components["schemas"]["Audience"];
            /** @description The only one of this name in the project. No control characters. */
            readonly name: string;
            /** @description How often it is evaluated by itself, from a minute to 366 days (m, h, d, w): `1h`. Null: only when asked. */
            readonly refresh?: string | null;
        };
        /**
         * @description `first`: it had never been evaluated. `definition`: the definition was changed since the evaluation before. `refresh`: users changed.
         * @enum {unknown}
         */
        readonly AudienceCause: "first" | "definition" | "refresh";
        readonly AudienceChange: {
            /** @description The anonymous id of a user who is known by it alone; else null. */
            readonly anonymous_id: string | null;
            /** @description When it was evaluated. */
            readonly at: components["schemas"]["Time"];
            readonly cause: components["schemas"]["AudienceCause"];
            /** @enum {unknown} */
            readonly change: "entered" | "left";
            readonly internal_id: components["schemas"]["InternalId"];
            readonly user_id: components["schemas"]["KnownUserId"];
            /** @description Of the definition. */
            readonly version: number;
        };
        readonly AudienceChangeLine: components["schemas"]["AudienceChange"] | components["schemas"]["AudienceChangesEnd"];
        /** @description What is left out stays as it is. */
        readonly AudienceChanges: {
            readonly definition?: components["schemas"]["Audience"];
            /** @description The only one of this name in the project. No control characters. */
            readonly name?: string;
            /** @description How often it is evaluated by itself, from a minute to 366 days (m, h, d, w): `1h`. Null: only when asked. */
            readonly refresh?: string | null;
        };
        /** @description The last line: without it the stream was cut. */
        readonly AudienceChangesEnd: {
            /** @description Null where there are no more. */
            readonly next_cursor: string | null;
            /** @description The last evaluation that was listed: the `since` of the next time. Null where there was none. */
            readonly through: components["schemas"]["Time"] | null;
        };
        readonly AudienceComparison: {
            /** @description In the audience after the change and not before. */
            readonly entering: components["schemas"]["AudienceGroup"];
            readonly evaluated_at: components["schemas"]["Time"];
            readonly from: components["schemas"]["AudienceCount"];
            /** @description In the audience before the change and not after. */
            readonly leaving: components["schemas"]["AudienceGroup"];
            readonly rows_read: number;
            /** @description In both. */
            readonly staying: components["schemas"]["AudienceGroup"];
            readonly to: components["schemas"]["AudienceCount"];
            /** @description Rounded to whole milliseconds. */
            readonly took_ms: number;
        };
        /** @description A string, a number (every digit counts, where a double cannot hold it too), true or false. */
        readonly AudienceConstant: string | number | boolean;
        readonly AudienceCount: {
            /** @description Distinct users. */
            readonly count: number;
        };
        readonly AudienceDeleted: {
            /** @constant */
            readonly deleted: true;
            readonly id: components["schemas"]["AudienceId"];
        };
        /**
         * @description Hours, days of 24 hours, or weeks of 7 such days.
         * @example 12h
         * @example 30d
         * @example 4w
         */
        readonly AudienceDuration: string;
        readonly AudienceEvaluation: {
            readonly at: components["schemas"]["Time"];
            readonly cause: components["schemas"]["AudienceCause"];
            readonly entered: number;
            readonly left: number;
            readonly members: number;
            /** @description Of the definition. */
            readonly version: number;
        };
        /**
         * Event
         * @description The users who did something, counting the events that have this name, pass all of where and lie within the time asked for. Events with one message_id count once, and the first of them says what it was. Left out: where, whatever their properties; within, ever; count, at least once.
         */
        readonly AudienceEventCondition: {
            readonly count?: components["schemas"]["AudienceEventCount"];
            /** @description The event's name, exactly. */
            readonly event: string;
            /** @description When the first of the events counted was. Users without any are left out. */
            readonly first?: components["schemas"]["AudiencePeriod"];
            /** @description When the last of the events counted was. Users without any are left out. */
            readonly last?: components["schemas"]["AudiencePeriod"];
            /** @description Only events whose properties pass all of these. */
            readonly where?: readonly components["schemas"]["AudiencePropertyCondition"][];
            /** @description Only events of this time. */
            readonly within?: components["schemas"]["AudiencePeriod"];
        };
        /** @description How often, in different messages. at_most includes never, unless at_least says otherwise; never done is {"at_most": 0}. */
        readonly AudienceEventCount: {
            readonly at_least?: components["schemas"]["AudienceNumberOfTimes"];
            readonly at_most?: components["schemas"]["AudienceNumberOfTimes"];
            readonly exactly?: components["schemas"]["AudienceNumberOfTimes"];
        } & (unknown | (unknown | unknown));
        /** @description An event that counts. */
        readonly AudienceEvidence: {
            readonly message_id: string;
            readonly received_at: components["schemas"]["Time"];
            readonly timestamp: components["schemas"]["Time"];
        };
        readonly AudienceExplanation: {
            /** @description Of analytics, that answers for the project now. */
            readonly database: string;
            readonly evaluated_at: components["schemas"]["Time"];
            /** @description The same as the service sends it. */
            readonly query: {
                readonly params: {
                    readonly [key: string]: string | readonly string[];
                };
                readonly sql: string;
            };
            /** @description The table of all users, then every condition, in the order of the definition. */
            readonly reads: readonly components["schemas"]["AudienceReads"][];
            /** @description Of all reads together. */
            readonly rows: number;
            /** @description To run by hand in that database: literals in place of parameters, the settings that it needs at its end. The row of a preview at that instant. */
            readonly sql: string;
        };
        readonly AudienceGroup: {
            /** @description Distinct users. */
            readonly count: number;
            /** @description Some of them, in the order of internal ids. */
            readonly sample: readonly components["schemas"]["AudienceMember"][];
        };
        readonly AudienceHistoryEntry: {
            readonly at: components["schemas"]["Time"];
            readonly cause: components["schemas"]["AudienceCause"];
            /** @description Of distinct users, after the evaluation. */
            readonly count: number;
            readonly entered: number;
            readonly left: number;
            /** @description Of the definition. */
            readonly version: number;
        };
        readonly AudienceHistoryPage: {
            readonly history: readonly components["schemas"]["AudienceHistoryEntry"][];
            /** @description Null on the last page. */
            readonly next_cursor: string | null;
        };
        readonly AudienceId: string;
        /**
         * @description An ISO-8601 date-time or a date alone, in the project's timezone where it names no offset; or a duration such as 30d, meaning so long before the evaluation.
         * @example 2026-11-20T10:15:00+02:00
         * @example 2026-11-20
         * @example 30d
         */
        readonly AudienceInstant: string;
        readonly AudienceMember: {
            /** @description The anonymous id of a user who is known by it alone; else null. */
            readonly anonymous_id: string | null;
            readonly internal_id: components["schemas"]["InternalId"];
            readonly user_id: components["schemas"]["KnownUserId"];
        };
        readonly AudienceMemberKey: string;
        readonly AudienceMemberLine: components["schemas"]["AudienceMember"] | components["schemas"]["AudienceMembersEnd"];
        /**
         * @description A key, taken whole (dots in it are part of it), or a list of keys from the outermost in. Keys do not reach into arrays.
         * @example plan
         * @example [
         *       "address",
         *       "city"
         *     ]
         */
        readonly AudienceMemberPath: components["schemas"]["AudienceMemberKey"] | readonly components["schemas"]["AudienceMemberKey"][];
        /** @description The last line: without it the stream was cut. */
        readonly AudienceMembersEnd: {
            /** @description Null where there are no more. */
            readonly next_cursor: string | null;
        };
        /** @description Operators; at least one, and where there are several all must hold: {"gte": 18, "lt": 65}. No value is converted: a number compares with numbers only, a string with strings, character for character and in the order of their code points, letter case included. Numbers compare exactly where both are whole numbers of 64 bits, by their nearest doubles otherwise. A missing value (null within an object is one) passes is_not and exists: false, and nothing else. */
        readonly AudienceMemberTests: {
            /** @description A string in which this string occurs, or an array with a member equal to this. */
            readonly contains?: components["schemas"]["AudienceConstant"];
            /** @description true: there is a value, of whatever type; false: there is none. */
            readonly exists?: boolean;
            /** @description Greater. */
            readonly gt?: components["schemas"]["AudienceOrderedConstant"];
            /** @description Greater or equal. */
            readonly gte?: components["schemas"]["AudienceOrderedConstant"];
            /** @description Equal to one of these. */
            readonly in?: readonly components["schemas"]["AudienceConstant"][];
            /** @description Equal, and of the same type. */
            readonly is?: components["schemas"]["AudienceConstant"];
            /** @description Whatever does not pass is: another value or type, or missing. */
            readonly is_not?: components["schemas"]["AudienceConstant"];
            /** @description Less. */
            readonly lt?: components["schemas"]["AudienceOrderedConstant"];
            /** @description Less or equal. */
            readonly lte?: components["schemas"]["AudienceOrderedConstant"];
            /** @description A string that starts with this one. */
            readonly starts_with?: components["schemas"]["AudienceTextConstant"];
        } | unknown | unknown | unknown | unknown | unknown | unknown | unknown | unknown | unknown | unknown;
        /**
         * Not
         * @description Every user of the project (whom any message has named, an event too) whom this does not mean.
         */
        readonly AudienceNot: {
            readonly not: components["schemas"]["Audience"];
        };
        readonly AudienceNumberOfTimes: number;
        readonly AudienceOrderedConstant: string | number;
        readonly AudiencePage: {
            readonly audiences: readonly components["schemas"]["SavedAudience"][];
            /** @description Null on the last page. */
            readonly next_cursor: string | null;
        };
        readonly AudienceParts: readonly components["schemas"]["Audience"][];
        /** @description A time, by exactly one of these. */
        readonly AudiencePeriod: {
            /** @description Until then, exclusive. */
            readonly before?: components["schemas"]["AudienceInstant"];
            /** @description From the first (inclusive) to the second (exclusive). */
            readonly between?: readonly components["schemas"]["AudienceInstant"][];
            /** @description From so long before the evaluation up to it. */
            readonly last?: components["schemas"]["AudienceDuration"];
            /** @description From then on. */
            readonly since?: components["schemas"]["AudienceInstant"];
        };
        readonly AudiencePreview: {
            /** @description Distinct users. */
            readonly count: number;
            readonly rows_read: number;
            /** @description Some of their user ids. A user known only by an anonymous or the internal id is not among them. */
            readonly sample: readonly string[];
            /** @description Some of the users by every id that is known, in the order of internal ids. Not the same users as those of `sample`. */
            readonly sample_users: readonly components["schemas"]["AudienceMember"][];
            /** @description Rounded to whole milliseconds. */
            readonly took_ms: number;
        };
        /**
         * Property
         * @description What one of the event's properties must be: it passes every operator given. In the properties an object with nothing in it, and null, are as good as missing; and a number written with a fraction or an exponent is a double, as are all in a list of numbers that has one.
         */
        readonly AudiencePropertyCondition: {
            readonly property: components["schemas"]["AudienceMemberPath"];
        } & components["schemas"]["AudienceMemberTests"];
        /** @description What is read for one part of the question by itself, as ClickHouse estimates it; beside others it may be less. */
        readonly AudienceReads: {
            /** @description In words. */
            readonly condition: string;
            /** @description Granules of up to 8,192 rows. */
            readonly marks: number;
            readonly parts: number;
            /** @description A pointer to the condition; null: the table of all users. */
            readonly path: string | null;
            /** @description ClickHouse's EXPLAIN indexes = 1, line by line. */
            readonly plan: readonly string[];
            /** @description In words, what is read and how. */
            readonly reads: string;
            readonly rows: number;
            /** @description Null where nothing is read. */
            readonly table: string | null;
        };
        readonly AudienceTextConstant: string;
        /**
         * Trait
         * @description The users with a trait whose value passes every operator given. A trait is as the newest message that mentions it left it, type included; one never set, or deleted, is missing. Of a trait that is a number of some users and a string of others, a number to compare with finds the former and a string the latter: in takes both.
         */
        readonly AudienceTraitCondition: {
            readonly trait: components["schemas"]["AudienceMemberPath"];
        } & components["schemas"]["AudienceMemberTests"];
        /** @description What became of one part of the definition. With a kind of all, any or not: of. With trait: value, version. With event: count, first, last, events. */
        readonly AudienceVerdict: {
            /** @description When is_met becomes the other with no further message; null: never. */
            readonly changes_at: components["schemas"]["Time"] | null;
            /** @description In words. */
            readonly condition: string;
            /** @description Different messages counted. */
            readonly count?: number;
            /** @description The newest of those counted, newest first, one of each message. */
            readonly events?: readonly components["schemas"]["AudienceEvidence"][];
            readonly first?: components["schemas"]["AudienceEvidence"] | null;
            readonly is_met: boolean;
            /** @enum {string} */
            readonly kind: "all" | "any" | "not" | "trait" | "event";
            readonly last?: components["schemas"]["AudienceEvidence"] | null;
            readonly of?: readonly components["schemas"]["AudienceVerdict"][];
            /** @description A pointer to the part. */
            readonly path: string;
            /** @description What the trait has at the path asked about, digit for digit; absent where there is nothing. */
            readonly value?: unknown;
            /** @description Of the trait as a whole: when it was set or deleted, and when that arrived. Null where no message mentions it. */
            readonly version?: {
                readonly is_deletion: boolean;
                readonly received_at: components["schemas"]["Time"];
                readonly timestamp: components["schemas"]["Time"];
            } | null;
        };
        readonly AudienceVersion: {
            /** @description When it became the definition; null where that is not known. */
            readonly changed_at: components["schemas"]["Time"] | null;
            /** @description The id of the key that it came with; null where that is not known. */
            readonly changed_by: string | null;
            /** @description As it was sent. */
            readonly definition: Record<string, unknown>;
            readonly version: number;
        };
        readonly AudienceVersionPage: {
            /** @description Null on the last page. */
            readonly next_cursor: string | null;
            readonly versions: readonly components["schemas"]["AudienceVersion"][];
        };
        readonly AudienceWhy: {
            /** @description The anonymous id of a user who is known by it alone; else null. */
            readonly anonymous_id: string | null;
            /** @description The earliest instant at which, with no further message of this user, the answer becomes the other; null: never. */
            readonly changes_at: components["schemas"]["Time"] | null;
            readonly evaluated_at: components["schemas"]["Time"];
            readonly internal_id: components["schemas"]["InternalId"];
            /** @description As a preview at that instant has it. */
            readonly is_member: boolean;
            readonly rows_read: number;
            /** @description Rounded to whole milliseconds. */
            readonly took_ms: number;
            /** @description Null where it is not known. */
            readonly user_id: string | null;
            readonly why: components["schemas"]["AudienceVerdict"];
        };
        readonly AuditEntries: {
            readonly entries: readonly components["schemas"]["AuditEntry"][];
            /** @description The cursor of the next page; null on the last. */
            readonly next_cursor: string | null;
        };
        readonly AuditEntry: {
            /** @description What was done, to what kind of object. */
            readonly action: string;
            /** @description What it is; null where it was deleted. */
            readonly after: unknown;
            readonly at: components["schemas"]["Time"];
            /** @description What it was; null where there was nothing. Of more than 65,536 characters, only their number: `omitted_characters`. */
            readonly before: unknown;
            /** @description Rises with time. */
            readonly id: string;
            /** @description The id of what was changed. */
            readonly object: string | null;
            /** @description Who made the change. */
            readonly principal: {
                /** @description The id of the key; `local` for a request on the Unix socket. */
                readonly id: string;
                /** @description The name of the key, or the user that the command line said. */
                readonly name: string | null;
            };
            /** @description The id of the project; null for what belongs to none. */
            readonly project: string | null;
            readonly request_id: string;
            /** @description The address that the request came from: of a proxy, where there is one. Null on the Unix socket. */
            readonly source: string | null;
        };
        /**
         * Batch
         * @description A series of calls. Each item is judged by its type: identify by identify.json, track by track.json, the others by sdk-call.json.
         */
        readonly Batch: {
            readonly batch: readonly unknown[];
        };
        readonly BatchAccepted: {
            /** @description What of an SDK's messages could not be used, and was mended or left out by itself: the first 100. Only where there was something. */
            readonly adjusted?: readonly components["schemas"]["Error"][];
            /** @description Pointers to members of the body that nothing reads, the first 100: probably spelled wrongly. Only for the interface's own form, and only where there are some. */
            readonly ignored?: readonly string[];
            readonly message_ids: components["schemas"]["MessageIds"];
            readonly receipt: components["schemas"]["ReceiptToken"];
            /** @description The items that were not recorded. With `Prefer: handling=lenient` always, and for the form of an SDK where there are some. */
            readonly rejected?: readonly components["schemas"]["RejectedItem"][];
            /** @constant */
            readonly success: true;
        };
        readonly BatchBody: {
            readonly batch?: readonly components["schemas"]["BatchCall"][];
        } & components["schemas"]["Batch"];
        /** @description Judged by its type. In the interface's own form that is `identify` or `track`. */
        readonly BatchCall: components["schemas"]["BatchItem"] & (({
            /** @constant */
            readonly type?: "identify";
        } & components["schemas"]["Identify"]) | ({
            /** @constant */
            readonly type?: "track";
        } & components["schemas"]["Track"]) | ({
            /** @enum {unknown} */
            readonly type?: "page" | "screen" | "group" | "alias";
        } & components["schemas"]["SdkCall"]));
        /**
         * Batch item
         * @description What every item of a batch has: its type, which says by which schema the rest is judged.
         */
        readonly BatchItem: {
            /** @enum {unknown} */
            readonly type: "identify" | "track" | "page" | "screen" | "group" | "alias";
        };
        /** @description What identify and track, and the items of a batch, have in common. */
        readonly Call: {
            readonly anonymousId?: components["schemas"]["SdkId"];
            readonly message_id?: components["schemas"]["MessageId"];
            readonly messageId?: components["schemas"]["MessageId"];
            readonly timestamp?: components["schemas"]["Timestamp"];
            readonly user_id?: components["schemas"]["UserId"];
            readonly userId?: components["schemas"]["SdkId"];
        } & components["schemas"]["NamedUser"];
        readonly CatalogEvent: {
            /** @description How often it happened. */
            readonly count: number;
            readonly first_seen: components["schemas"]["Time"];
            readonly last_seen: components["schemas"]["Time"];
            /** @description As it was sent. */
            readonly name: string;
        };
        readonly CatalogEvents: {
            readonly events: readonly components["schemas"]["CatalogEvent"][];
            /** @description Whether each message counts once. Otherwise a count may be too high. */
            readonly exact: boolean;
            /** @description Null on the last page. */
            readonly next_cursor: string | null;
            /** @description Whether there are more names than the catalogue lists. */
            readonly truncated: boolean;
        };
        readonly CatalogMember: {
            /** @description Of a property, the events that have it; of a trait, the users. */
            readonly count: number;
            /** @description Some different values, as JSON text. One of more than 200 characters is cut there, and is not valid JSON then. */
            readonly examples: readonly string[];
            readonly first_seen: components["schemas"]["Time"];
            readonly last_seen: components["schemas"]["Time"];
            /** @description As it was sent. Names of more than 512 characters are not listed. */
            readonly name: string;
            /** @description The most frequent type first. */
            readonly types: readonly components["schemas"]["CatalogType"][];
        };
        readonly CatalogProperties: {
            readonly event: components["schemas"]["CatalogEvent"];
            /** @description Whether each message counts once. Otherwise a count may be too high. */
            readonly exact: boolean;
            /** @description Null on the last page. */
            readonly next_cursor: string | null;
            readonly properties: readonly components["schemas"]["CatalogMember"][];
            /** @description Whether there are more names than the catalogue lists. */
            readonly truncated: boolean;
        };
        readonly CatalogTraits: {
            /** @description Whether each message counts once. Otherwise a count may be too high. */
            readonly exact: boolean;
            /** @description Null on the last page. */
            readonly next_cursor: string | null;
            readonly traits: readonly components["schemas"]["CatalogMember"][];
            /** @description Whether there are more names than the catalogue lists. */
            readonly truncated: boolean;
        };
        readonly CatalogType: {
            /** @description How many values are of this type. */
            readonly count: number;
            /** @description The part of all values, to four digits: 1 only where all are of this type. */
            readonly share: number;
            /** @enum {string} */
            readonly type: "number" | "text" | "boolean" | "array" | "object" | "null";
        };
        readonly CompareBody: {
            /** @description The id of a saved audience, whose definition is the one before the change; with `definition`. */
            readonly audience?: string;
            /** @description The definition after the change. */
            readonly definition?: components["schemas"]["Audience"];
            /** @description The definition before the change; with `to`. */
            readonly from?: components["schemas"]["Audience"];
            /**
             * @description How many users to give of each group.
             * @default 10
             */
            readonly sample: number;
            /** @description The definition after the change. */
            readonly to?: components["schemas"]["Audience"];
        } & (unknown | unknown);
        readonly ComparedGeneration: {
            readonly comparison: readonly {
                readonly different: number;
                readonly equal: number;
                /** @description Only in the new one. */
                readonly extra: number;
                /** @description Only in the live generation. */
                readonly missing: number;
                /** @description Names of some that differ. */
                readonly sample: readonly string[];
                /** @description Messages for these arrived during every attempt, so that they could not be compared. */
                readonly undecided: number;
                /** @description Of the counts: `users`, or `days` (an event on a day). */
                readonly unit: string;
                /** @description `profiles`, `events`, … */
                readonly what: string;
            }[];
            /** @enum {string} */
            readonly kind: "profiles" | "analytics";
            readonly messages: number;
            readonly number: number;
            readonly project: string | null;
            readonly same: boolean;
        };
        /** @description A job whose `result` says what differs. */
        readonly ComparisonJob: components["schemas"]["Job"] & {
            readonly result: null | components["schemas"]["ComparedGeneration"];
        };
        readonly ConsoleSession: {
            readonly expires_at: components["schemas"]["Time"];
            /** @description Of the key that was signed in with. */
            readonly key_id: string;
            /** @description The project of the key; all of them for an admin key. */
            readonly projects: readonly {
                readonly id: string;
                readonly name: string;
                readonly timezone: string;
            }[];
            readonly scopes: readonly ("write" | "read" | "audiences" | "admin")[];
        };
        readonly ConsoleSessionAnswer: {
            readonly session: components["schemas"]["ConsoleSession"] | null;
        };
        readonly CreatedKey: {
            readonly created_at: string;
            readonly id: string;
            /** @description The key itself. */
            readonly key: string;
            readonly last_used_day: string | null;
            readonly name: string | null;
            readonly project_id: string | null;
            readonly revoked_at: string | null;
            /** @description The first of `scopes`. */
            readonly scope: string;
            readonly scopes: readonly ("write" | "read" | "audiences" | "admin")[];
        };
        /** @description A job whose `result` counts the messages. */
        readonly DeadLetterJob: components["schemas"]["Job"] & {
            readonly result: null | components["schemas"]["SettledDeadLetters"];
        };
        readonly DeadLetterPage: {
            readonly dead_letters: readonly components["schemas"]["DeadLetterSummary"][];
            /** @description Dead letters by each, the most frequent first: one for each attempt of a reader. */
            readonly facets: {
                readonly code: components["schemas"]["FacetCounts"];
                readonly day: components["schemas"]["FacetCounts"];
                readonly project: components["schemas"]["FacetCounts"];
                readonly reader: components["schemas"]["FacetCounts"];
                readonly topic: components["schemas"]["FacetCounts"];
            };
            readonly next_cursor: string | null;
            /** @description Records of the topic that are not dead letters. */
            readonly unreadable: number;
        };
        readonly DeadLetterSelection: {
            /** @description Also what was replayed or dropped before; with ids only. */
            readonly again?: boolean;
            /** @description Needed where nothing else selects. */
            readonly all?: boolean;
            /** @description Only say how many. */
            readonly dry_run?: boolean;
            readonly error?: string;
            readonly ids?: readonly string[];
            readonly limit?: number;
            readonly project?: string;
            readonly reader?: string;
            readonly since?: string;
            readonly topic?: string;
            readonly until?: string;
        };
        readonly DeadLetterSummary: {
            readonly attempts: readonly {
                readonly error: string;
                readonly failed_at: components["schemas"]["Time"];
                readonly id: string;
                readonly reader: string;
            }[];
            readonly bytes: number;
            readonly code: string | null;
            readonly copy: string | null;
            readonly copy_of: string | null;
            readonly failed_at: components["schemas"]["Time"];
            /** @description `topic/partition/offset` of the message. */
            readonly id: string;
            readonly message_id: string | null;
            readonly project_id: string | null;
            readonly settled_at: string | null;
            /**
             * @description `editing`: an edit was begun, and must be sent again to be finished.
             * @enum {string}
             */
            readonly state: "waiting" | "replayed" | "edited" | "dropped" | "editing";
        };
        readonly DeletedProject: {
            /** @description What would be deleted. Only of a dry run. */
            readonly content?: {
                readonly audiences: number;
                /** @description In use. */
                readonly keys: number;
                readonly users: number;
            };
            /** @description False of a dry run. */
            readonly deleted: boolean;
            readonly id: string;
        };
        /** @description A message in the words of the interface. Free-form objects have every digit as it was sent; one that is not the JSON of an object is its text. Which members there are depends on the topic. */
        readonly EditableRecord: {
            readonly anonymous?: boolean;
            readonly anonymous_id?: string | null;
            readonly context?: {
                readonly [key: string]: unknown;
            } | string | null;
            readonly event?: string;
            /** @description Only where neither a user id nor an anonymous id names the user. */
            readonly internal_id?: string;
            readonly message_id?: string;
            readonly project_id?: string;
            readonly properties?: {
                readonly [key: string]: unknown;
            } | string;
            readonly session_id?: string;
            /** @description Without an offset it is UTC. */
            readonly timestamp?: string;
            readonly topic?: string;
            readonly traits?: {
                readonly [key: string]: unknown;
            } | string;
            readonly user_id?: string | null;
        };
        readonly EditedDeadLetter: {
            /** @description `topic/partition/offset` of the corrected record; null of a dry run. */
            readonly copy: string | null;
            readonly dry_run: boolean;
            readonly id: string;
            readonly message_id: string;
            /** @description Null unless it is a dry run. */
            readonly stores: {
                readonly analytics: components["schemas"]["StoreTrial"];
                readonly profiles: components["schemas"]["StoreTrial"];
            } | null;
        };
        readonly Error: {
            readonly message: string;
            /** @description An RFC 6901 pointer to the member at fault or missing; empty for the whole. */
            readonly path: string;
        };
        readonly Errors: readonly components["schemas"]["Error"][];
        /** @description The name of what the user did. */
        readonly Event: string;
        /** @description It ends where the next one begins, the last one where the period ends. */
        readonly EventBucket: {
            /** @description The same on the clock of the time zone. */
            readonly local: string | null;
            /** @description Its first instant within the period; null where the period has no beginning. */
            readonly start: components["schemas"]["Time"] | null;
        };
        readonly EventBuckets: readonly components["schemas"]["EventBucket"][];
        /**
         * Question for counts
         * @description What is measured of which events, by time and by value. Conditions are those of an audience. Members that are not described here are refused.
         * @example {
         *       "event": "Order Completed",
         *       "measure": "sum",
         *       "of": "total",
         *       "within": {
         *         "last": "30d"
         *       },
         *       "interval": "day",
         *       "split": {
         *         "trait": "plan",
         *         "top": 5
         *       },
         *       "compare": "previous"
         *     }
         * @example {
         *       "event": [
         *         "Order Completed",
         *         "Order Refunded"
         *       ],
         *       "measure": "percentile",
         *       "of": "total",
         *       "p": 95
         *     }
         */
        readonly EventCounts: {
            /**
             * @description previous: the same of the period before. Needs a beginning of within.
             * @enum {unknown}
             */
            readonly compare?: "previous";
            /** @description Only events of this name, or of one of these. Left out: all. */
            readonly event?: components["schemas"]["EventCountsEventName"] | readonly components["schemas"]["EventCountsEventName"][];
            /**
             * @description A value for each hour, day or week (from Monday) of the time zone. Needs a beginning of within, and makes 2,400 buckets at most. Left out: one value.
             * @enum {unknown}
             */
            readonly interval?: "hour" | "day" | "week";
            /**
             * @description count: different messages. users: different users. sum, average, percentile: of the numbers in the property of.
             * @enum {unknown}
             */
            readonly measure: "count" | "users" | "sum" | "average" | "percentile";
            /** @description The property that is summed, averaged or ranked. Events in which it is not a number do not count. */
            readonly of?: components["schemas"]["AudienceMemberPath"];
            /** @description Which percentile, interpolated between the two nearest values: 50 is the median. */
            readonly p?: number;
            readonly split?: components["schemas"]["EventCountsSplit"];
            /**
             * @description An IANA time zone, for the buckets and for dates without an offset in within and users. Left out: the project's.
             * @example Europe/Berlin
             */
            readonly timezone?: string;
            /** @description Only events of the users whom this audience means now. Its conditions and those of where are at most 100 together. */
            readonly users?: components["schemas"]["Audience"];
            /** @description Only events whose properties pass all of these. */
            readonly where?: readonly components["schemas"]["AudiencePropertyCondition"][];
            /** @description Only events of this time. Left out: ever. */
            readonly within?: components["schemas"]["AudiencePeriod"];
        } & (unknown & unknown & unknown);
        readonly EventCountsAnswer: {
            readonly buckets: components["schemas"]["EventBuckets"];
            /** @description The beginning of the period; null where it has none. */
            readonly from: components["schemas"]["Time"] | null;
            /** @description Null where the whole period is one bucket. */
            readonly interval: string | null;
            readonly measure: string;
            /** @description The period before, where it is compared. Its buckets may be one more or fewer. */
            readonly previous: {
                readonly buckets: components["schemas"]["EventBuckets"];
                readonly from: components["schemas"]["Time"];
                readonly to: components["schemas"]["Time"];
            } | null;
            readonly rows_read: number;
            /** @description One without a split. With one, the largest first and what is left (other) last; none where nothing was counted. */
            readonly series: readonly components["schemas"]["EventSeries"][];
            readonly timezone: string;
            readonly to: components["schemas"]["Time"];
            readonly took_ms: number;
        };
        readonly EventCountsEventName: string;
        /**
         * Split
         * @description By the values of a property, or of a trait as it is now: the top values with the largest measure of the whole period have a series each, all others one together. Strings, numbers and booleans are values; an event with anything else, or with nothing, is under null.
         */
        readonly EventCountsSplit: {
            readonly property?: components["schemas"]["AudienceMemberPath"];
            /**
             * @description How many values have a series of their own.
             * @default 10
             */
            readonly top: number;
            readonly trait?: components["schemas"]["AudienceMemberPath"];
        } & (unknown | unknown);
        /** @description One for each bucket. Without events count, users and sum are 0, average and percentile null. Null too where a double cannot hold it. */
        readonly EventMeasures: readonly (number | null)[];
        readonly EventPage: {
            readonly events: readonly components["schemas"]["StoredEvent"][];
            /** @description Null on the last page. */
            readonly next_cursor: string | null;
        };
        /**
         * Question for events
         * @description Which events are listed, newest first. Conditions are those of an audience. Members that are not described here are refused.
         * @example {
         *       "event": "Order Completed",
         *       "where": [
         *         {
         *           "property": "total",
         *           "gt": 100
         *         }
         *       ],
         *       "within": {
         *         "last": "7d"
         *       },
         *       "users": {
         *         "trait": "plan",
         *         "is": "pro"
         *       },
         *       "limit": 20
         *     }
         */
        readonly EventQuery: {
            /** @description The next_cursor of the page before. The rest of the question stays the same. */
            readonly cursor?: string;
            /** @description Only events of this name, or of one of these. Left out: all. */
            readonly event?: components["schemas"]["EventQueryEventName"] | readonly components["schemas"]["EventQueryEventName"][];
            /**
             * @description How many events a page has at most.
             * @default 50
             */
            readonly limit: number;
            /** @description Only events of the users whom this audience means now. Its conditions and those of where are at most 100 together. */
            readonly users?: components["schemas"]["Audience"];
            /** @description Only events whose properties pass all of these. */
            readonly where?: readonly components["schemas"]["AudiencePropertyCondition"][];
            /** @description Only events of this time. Left out: ever. */
            readonly within?: components["schemas"]["AudiencePeriod"];
        };
        readonly EventQueryEventName: string;
        readonly EventSeries: {
            /** @description Whether it is of all values without a series of their own. */
            readonly other: boolean;
            readonly previous?: components["schemas"]["EventMeasures"];
            /** @description The value that events are split by; null where they have none, and without a split. */
            readonly value: string | number | boolean | null;
            readonly values: components["schemas"]["EventMeasures"];
        };
        readonly FacetCounts: readonly {
            readonly count: number;
            readonly value: string | null;
        }[];
        readonly FrontPage: {
            readonly description: string;
            /** @description Name → path. */
            readonly links: {
                readonly [key: string]: string;
            };
            readonly name: string;
        };
        readonly Generation: {
            /** @description For which projects it is live: their ids, or `all`. */
            readonly answers: readonly string[];
            /** @description The instant as of which it takes messages that a wrong clock dated in the future. */
            readonly as_of: string | null;
            readonly behind: number;
            readonly created_at: string;
            /** @enum {string} */
            readonly kind: "profiles" | "analytics";
            readonly messages: number;
            readonly number: number;
            readonly project: string | null;
            readonly rate_limit: number | null;
            /** @enum {string} */
            readonly state: "live" | "building" | "former" | "dropping" | "dropped";
        };
        readonly GenerationBody: {
            /** @description Messages on the log that arrive after now, because a clock was wrong, are taken as of this instant. What the live generation does so is kept. */
            readonly as_of?: string | null;
            /** @enum {string} */
            readonly kind: "profiles" | "analytics";
            /** @description The id of the project whose messages alone it has. */
            readonly project?: string | null;
            /** @description A second; null for none. */
            readonly rate_limit?: number | null;
        };
        readonly Generations: {
            readonly generations: readonly components["schemas"]["Generation"][];
        };
        readonly GivenTraitValue: {
            /** @description Null where the message's row is not known. */
            readonly message_id: string | null;
            /** @description Of the messages with a newer value the one that arrived first. */
            readonly newer: components["schemas"]["TraitMessage"] | null;
            readonly received_at: components["schemas"]["Time"];
            /**
             * @description `current`: no newer one is known. `replaced`: a newer one arrived later. `lost`: a newer one had arrived before, so that the trait never had this value.
             * @enum {string}
             */
            readonly state: "current" | "replaced" | "lost";
            readonly timestamp: components["schemas"]["Time"];
            /** @enum {unknown} */
            readonly type: "identify" | "session" | null;
            /** @description As it was sent, digit for digit; null where the message deletes the trait. */
            readonly value: unknown;
            /** @description Newer is larger. */
            readonly version: string;
        };
        readonly Health: {
            /** @constant */
            readonly status: "up";
        };
        /**
         * Identify
         * @description Adds or updates a user and records traits.
         */
        readonly Identify: {
            readonly traits?: components["schemas"]["Traits"];
        } & components["schemas"]["Call"];
        /** @description A file, how it is read, and how it is imported. */
        readonly ImportBody: {
            /** @description CSV: what separates the fields, one ASCII character. Left out: a comma. */
            readonly delimiter?: string | null;
            /** @description Only looks: the refused lines are there to be read, nothing is imported. */
            readonly dry_run?: boolean | null;
            /** @description The id of an uploaded file. Exactly one of `file` and `path` is given. */
            readonly file?: string | null;
            /**
             * @description Null where the file's beginning says it.
             * @enum {unknown}
             */
            readonly format?: "ndjson" | "csv" | null;
            /** @description Names lines without a `message_id`, with their number. Left out: made from the file. */
            readonly import_id?: string | null;
            /** @description CSV: columns whose cells are JSON. */
            readonly json_columns?: readonly string[] | null;
            /** @description CSV: columns by their names, and what each is read as. */
            readonly map?: {
                readonly [key: string]: string;
            } | null;
            /** @description An absolute path on the machine of the process that is asked. On the port it lies within `IMPORT_DIR` once links are followed; on the Unix socket it lies anywhere. */
            readonly path?: string | null;
            /** @description The id or the name of the project. */
            readonly project: string;
            /** @description Lines a second at most. */
            readonly rate?: number | null;
            /** @description On the Unix socket alone: where refused lines go. */
            readonly report?: string | null;
            /** @description On the Unix socket alone: begins at the first line, whatever the state says. */
            readonly restart?: boolean | null;
            /** @description On the Unix socket alone: the file that says how far it has come. */
            readonly state?: string | null;
            /**
             * @description What lines are that have no `type`.
             * @enum {unknown}
             */
            readonly type?: "identify" | "track" | null;
            /** @description CSV: whether numbers, true and false are such, and not text. */
            readonly types?: boolean | null;
        };
        readonly ImportFile: {
            /** @description How much of it has arrived. */
            readonly bytes: number;
            readonly expires_at: components["schemas"]["Time"];
            readonly id: string;
            readonly name: string;
        };
        /** @description A job that reads a file. */
        readonly ImportJob: components["schemas"]["Job"] & {
            readonly args: {
                readonly dry_run: boolean;
                /** @description The id of the upload. */
                readonly file: string | null;
                /** @description The machine that reads it. */
                readonly host: string;
                /** @description Of the file. */
                readonly name: string;
                /** @description On the machine of the service. */
                readonly path: string | null;
                readonly project: string;
            };
            readonly progress: {
                readonly accepted?: number;
                readonly lines?: number;
                readonly refused?: number;
            } | null;
            readonly result: null | components["schemas"]["ImportResult"];
        };
        readonly ImportPage: {
            readonly imports: readonly components["schemas"]["ImportJob"][];
            readonly next_cursor: string | null;
        };
        readonly ImportPreview: {
            /** @description Of CSV. */
            readonly columns: readonly {
                /** @description The member that the column fills. */
                readonly fills: string;
                /** @description Whether that is a trait of an identify and a property of a track. */
                readonly free: boolean;
                readonly name: string;
            }[];
            /** @enum {unknown} */
            readonly format: "ndjson" | "csv";
            /** @description Why an import would be refused as a whole: `map` or `json_columns` cannot be used with these columns, a column is missing, or there is no row in the first 4 MB. */
            readonly problem: string | null;
            readonly rows: readonly {
                /** @description Of CSV the fields, of NDJSON the line; each cut at 512 characters. */
                readonly cells: readonly string[];
                readonly line: number;
                /** @description Why the line would be refused. */
                readonly problems: readonly components["schemas"]["Error"][];
            }[];
        };
        readonly ImportResult: {
            readonly accepted: number;
            readonly lines: number;
            readonly refused: number;
            /** @description The line that was done last before it went on; 0 where it began anew. */
            readonly resumed_at_line: number;
        };
        /** @description A file and how it is read. */
        readonly ImportSource: {
            /** @description CSV: what separates the fields, one ASCII character. Left out: a comma. */
            readonly delimiter?: string | null;
            /** @description The id of an uploaded file. Exactly one of `file` and `path` is given. */
            readonly file?: string | null;
            /**
             * @description Null where the file's beginning says it.
             * @enum {unknown}
             */
            readonly format?: "ndjson" | "csv" | null;
            /** @description CSV: columns whose cells are JSON. */
            readonly json_columns?: readonly string[] | null;
            /** @description CSV: columns by their names, and what each is read as. */
            readonly map?: {
                readonly [key: string]: string;
            } | null;
            /** @description An absolute path on the machine of the process that is asked. On the port it lies within `IMPORT_DIR` once links are followed; on the Unix socket it lies anywhere. */
            readonly path?: string | null;
            /** @description The id or the name of the project. */
            readonly project: string;
            /**
             * @description What lines are that have no `type`.
             * @enum {unknown}
             */
            readonly type?: "identify" | "track" | null;
            /** @description CSV: whether numbers, true and false are such, and not text. */
            readonly types?: boolean | null;
        };
        readonly InstallationStatus: {
            /** @description What wants attention; empty where nothing does. */
            readonly attention: readonly components["schemas"]["Attention"][];
            /** @description Messages in the dead letters that were neither replayed nor dropped. */
            readonly dead_letters: {
                /** @description False while they are still being counted after a start, and where there are more than 10,000: then there are at least so many. */
                readonly counted_all: boolean;
                /** @description By the reader that could not process them; a reader without any is left out. */
                readonly waiting: {
                    readonly [key: string]: number;
                };
            } | null;
            /** @description How many records were deleted from the beginning of the log; null where it is not known. */
            readonly deleted_from_log: number | null;
            /** @description The disk of DATA_DIR on the machine that answers, and what that folder takes; null where there is none. */
            readonly disk: {
                readonly folder: string;
                readonly free_bytes: number;
                readonly total_bytes: number;
                readonly used_bytes: number;
            } | null;
            /** @description When the log stored the newest event that queries see; null where there is none, or it is not known. */
            readonly newest_queryable_event: {
                readonly age_seconds: number;
                readonly at: components["schemas"]["Time"];
            } | null;
            /** @description Name of a part → its state, as in `/readyz`. */
            readonly parts: {
                readonly [key: string]: string;
            };
            /** @description All that reported within the last hour, without those that stopped in order; of the role `all`, HTTP and readers each. */
            readonly processes: readonly components["schemas"]["ProcessStatus"][] | null;
            /** @description Of the last minute, of all processes, in messages a second: accepted, refused (requests and items of keys that were known), folded into profiles, and stored in analytics. */
            readonly rates: {
                readonly accepted: number;
                readonly projected: number;
                readonly refused: number;
                readonly stored: number;
            };
            /** @description `projector`, `sink`, `import-projector`, `import-sink`. */
            readonly readers: {
                readonly "import-projector": components["schemas"]["ReaderStatus"];
                readonly "import-sink": components["schemas"]["ReaderStatus"];
                readonly projector: components["schemas"]["ReaderStatus"];
                readonly sink: components["schemas"]["ReaderStatus"];
            };
            /** @description Whether `/readyz` of this process answers 200. */
            readonly ready: boolean;
            /**
             * @description Of the process that answers.
             * @enum {unknown}
             */
            readonly role: "all" | "ingest";
            /** @description What the stores take: their files where they are embedded, else what Postgres and ClickHouse say (of a cluster, the node that answered). Null where it is not known, as of Kafka. */
            readonly stored_bytes: {
                readonly analytics: number | null;
                readonly log: number | null;
                readonly profiles: number | null;
            };
            readonly uptime_seconds: number;
            /** @description The last that the service made by itself; null before the first. */
            readonly verification?: {
                readonly finished_at: components["schemas"]["Time"];
                readonly missing: {
                    readonly clickhouse: number;
                    readonly postgres: number;
                };
                readonly surplus: {
                    readonly clickhouse: number;
                    readonly postgres: number;
                };
            } | null;
            readonly version: string;
        };
        /** @description The user's internal id: a pure function of the project and the caller's id. */
        readonly InternalId: string;
        readonly Job: {
            readonly args: {
                readonly [key: string]: unknown;
            };
            readonly created_at: components["schemas"]["Time"];
            readonly finished_at: string | null;
            readonly id: string;
            readonly kind: string;
            /** @description The id of the key that started it; `local` on the Unix socket. */
            readonly principal: string;
            readonly problem: null | components["schemas"]["Problem"];
            readonly progress: ({
                readonly done: number;
                readonly phase?: string;
                readonly total?: number;
                readonly unit?: string;
                /** @description For what, where nothing goes on. */
                readonly waiting?: string;
            } & {
                readonly [key: string]: unknown;
            }) | null;
            /** @description Of what the progress counts, a second. */
            readonly rate: number | null;
            /** @description What the job came to; null until it is done. Of a verification the totals: its hours are at `/v1/admin/verifications/{id}`. */
            readonly result: unknown;
            readonly seconds_left: number | null;
            readonly started_at: string | null;
            /** @enum {string} */
            readonly state: "queued" | "running" | "done" | "failed" | "cancelled" | "interrupted";
        };
        readonly JobPage: {
            readonly jobs: readonly components["schemas"]["Job"][];
            /** @description The cursor of the next page; null on the last. */
            readonly next_cursor: string | null;
        };
        readonly KeyBody: {
            readonly name?: string;
            readonly scopes: readonly ("write" | "read" | "audiences" | "admin")[];
        };
        readonly KeyPage: {
            readonly keys: readonly components["schemas"]["AdminKey"][];
            /** @description The cursor of the next page; null on the last. */
            readonly next_cursor: string | null;
        };
        /** @description The caller's id; null where only the internal id is known. */
        readonly KnownUserId: string | null;
        /** @description Names the message: sent again under the same id, and the same timestamp if it has one, it counts once. */
        readonly MessageId: string;
        /** @description In the order sent; null in the place of an item that was rejected. */
        readonly MessageIds: readonly (string | null)[];
        /** @description Whom it is about: user_id or, from analytics SDKs, userId or, where there is none, anonymousId. */
        readonly NamedUser: {
            readonly user_id: unknown;
        } | {
            readonly userId: string;
        } | {
            readonly anonymousId: string;
        };
        readonly OpenApiDocument: {
            /** @constant */
            readonly openapi: "3.1.0";
        } & {
            readonly [key: string]: unknown;
        };
        readonly PartitionPage: {
            /** @description The cursor of the next page; null on the last. */
            readonly next_cursor: string | null;
            readonly partitions: readonly {
                /** @description The offset that the next record gets. */
                readonly end: string;
                readonly partition: number;
                readonly topic: string;
                /** @description How many records are not in profiles yet, and not in analytics. */
                readonly unread: {
                    readonly analytics: number;
                    readonly profiles: number;
                };
            }[];
        };
        /** @description What a replay would take. */
        readonly PlannedReplay: {
            /**
             * @description Where the rate is from: a limit, the last replay of this kind here, or figures of another machine.
             * @enum {string}
             */
            readonly basis: "limit" | "last replay" | "assumed";
            /** @description More of the disk, about. */
            readonly bytes: number;
            /** @description Records that were deleted from the beginning of the log: what is built lacks them. */
            readonly deleted_from_log: number;
            /** @enum {string} */
            readonly kind: "profiles" | "analytics";
            /** @description That would be read. */
            readonly messages: number;
            /** @description Messages. */
            readonly per_second: number;
            readonly project: string | null;
            /** @description How many messages that generation has read already. */
            readonly read: number;
            /** @description The number of the generation whose build would go on; null where a new one would be made. */
            readonly resumes: number | null;
            readonly seconds: number;
        };
        readonly PreviewBody: {
            readonly definition: components["schemas"]["Audience"];
            /**
             * @description How many user ids to give.
             * @default 10
             */
            readonly sample: number;
        };
        /** @description RFC 9457. */
        readonly Problem: {
            /** @description The last part of `type`, for SDKs that read it. */
            readonly code?: string;
            /** @description What was wrong with this request, and what to do. */
            readonly detail: string;
            /** @description Which failure it was, for programs: one of those that docs/errors.md lists. */
            readonly error_code?: string;
            readonly errors?: components["schemas"]["Errors"];
            /** @description With 413: the most that this path takes. */
            readonly limit_bytes?: number;
            /** @description The same as `detail`, for SDKs that read it. */
            readonly message?: string;
            readonly message_ids?: components["schemas"]["MessageIds"];
            readonly status: number;
            readonly title: string;
            readonly type: string;
        };
        readonly ProcessStatus: {
            readonly id: string;
            /** @description Name of a part → its state, as in `/readyz`. */
            readonly parts: {
                readonly [key: string]: string;
            };
            /** @enum {unknown} */
            readonly role: "all" | "ingest" | "projector" | "sink";
            readonly seen_seconds_ago: number;
            readonly started_at: components["schemas"]["Time"];
            /**
             * @description `missing` where it has not reported for 30 seconds.
             * @enum {unknown}
             */
            readonly state: "running" | "missing";
            readonly version: string;
        };
        readonly Profile: {
            /** @description Of the newest call of project-user; null where there was none. */
            readonly anonymous: boolean | null;
            /** @description The anonymous id that the user is known by or, where there is a user id, those sent beside it: the 100 seen last, newest first. */
            readonly anonymous_ids: readonly string[];
            readonly first_seen: components["schemas"]["Time"];
            readonly internal_id: components["schemas"]["InternalId"];
            readonly last_seen: components["schemas"]["Time"];
            /** @description As they were sent, digit for digit. */
            readonly traits: {
                readonly [key: string]: unknown;
            };
            /** @description Null where the user is known by an anonymous id or an internal id alone. */
            readonly user_id: string | null;
        };
        readonly ProjectBody: {
            readonly name: string;
            /** @description A second; null for none. */
            readonly rate_limit?: number | null;
            /** @description IANA time zone of timestamps without an offset. */
            readonly timezone?: string;
        };
        readonly ProjectChanges: {
            readonly name?: string;
            readonly query_max_memory_bytes?: number | null;
            readonly query_max_ms?: number | null;
            readonly query_max_rows?: number | null;
            /** @description A second; null for none. */
            readonly rate_limit?: number | null;
            /** @description Bytes of bodies a second, as they are after decompression; null for no limit. */
            readonly rate_limit_bytes?: number | null;
            /** @description IANA time zone of timestamps without an offset. */
            readonly timezone?: string;
        };
        readonly ProjectEvent: {
            /** @description The anonymous id that was sent with it, beside a user id or alone; null where there was none. */
            readonly anonymous_id: string | null;
            readonly event: string;
            readonly internal_id: components["schemas"]["InternalId"];
            readonly message_id: string;
            /** @description As they were sent, digit for digit. */
            readonly properties: {
                readonly [key: string]: unknown;
            };
            readonly received_at: components["schemas"]["Time"];
            /** @description Null but for add-event. */
            readonly session_id: string | null;
            readonly timestamp: components["schemas"]["Time"];
            /** @description Null where no message has named the user by one. */
            readonly user_id: string | null;
        };
        readonly ProjectEventPage: {
            readonly events: readonly components["schemas"]["ProjectEvent"][];
            /** @description For cursor of the next page; null on the last page. */
            readonly next_cursor: string | null;
        };
        readonly ProjectPage: {
            /** @description The cursor of the next page; null on the last. */
            readonly next_cursor: string | null;
            readonly projects: readonly components["schemas"]["AdminProject"][];
        };
        readonly ProjectStatus: {
            /** @description Of the last 24 hours of UTC, the newest first, those in which messages arrived: as many as profiles have counted so far. */
            readonly hours: readonly {
                readonly hour: components["schemas"]["Time"];
                /** @description Without repeats. */
                readonly messages: number;
                /** @description Copies of earlier messages. */
                readonly repeats: number;
            }[] | null;
            /** @description How old the oldest message is that is not in the store yet; 0 where all is. */
            readonly lag_seconds: {
                readonly analytics: number | null;
                readonly profiles: number | null;
            };
            /** @description Requests and items of batches that were refused since midnight, UTC. */
            readonly refused_today: number | null;
            /** @description The last that the service made by itself, of hours in which the project had messages; null before the first. */
            readonly verification?: {
                readonly finished_at: components["schemas"]["Time"];
                readonly hours_compared: number;
                readonly hours_different: number;
            } | null;
        };
        /**
         * Get or create user
         * @description Returns the internal id of a user, who is created if new, and a new session.
         */
        readonly ProjectUser: {
            /** @description Whether the user is an anonymous one, not a real one. */
            readonly anonymous: boolean;
            readonly custom_parameters?: components["schemas"]["Traits"];
            readonly message_id?: components["schemas"]["MessageId"];
            readonly user_id: components["schemas"]["UserId"];
        };
        readonly ProjectUserAnswer: {
            readonly message: string;
            readonly result: {
                readonly receipt: components["schemas"]["ReceiptToken"];
                readonly session_id: string;
                readonly user_id: components["schemas"]["InternalId"];
            };
            /** @constant */
            readonly success: 200;
        };
        /** @description A free-form dictionary of the event's properties. */
        readonly Properties: Record<string, unknown>;
        readonly RateLimit: {
            /** @description A second; null for none. */
            readonly rate_limit: number | null;
        };
        readonly ReaderStatus: {
            readonly lag_messages: number | null;
            /** @description The age of the oldest record that it has not read. */
            readonly lag_seconds: number | null;
            readonly messages_per_second: number;
            /** @description As in `/readyz`; `missing` where no process has reported for 30 seconds that it runs it; `unknown` while the reports cannot be read. */
            readonly state: string;
        };
        readonly Readiness: {
            /** @description Name of a part → its state. */
            readonly parts: {
                readonly [key: string]: string;
            };
            readonly ready: boolean;
        };
        readonly ReceiptState: {
            readonly accepted_at: components["schemas"]["Time"];
            /** @description Profiles show every message of the request. */
            readonly projected: boolean;
            /** @description Events and audiences show every message of the request. */
            readonly queryable: boolean;
        };
        /** @description Names the places in the log that the request's messages took: opaque, signed, under 4 KB. Null where the messages wait on local disk for the log. */
        readonly ReceiptToken: string | null;
        readonly RefusalGroup: {
            /** @description The last part of the problem's `type`; `adjusted` where the message was accepted, and what could not be used of it was mended or left out; or `other`. */
            readonly code: string;
            /** @description How many requests, items, and members that were adjusted. */
            readonly count: number;
            /** @description The beginning of the body or item that was refused, 1,000 characters at most; null where no body was read. */
            readonly example: string | null;
            readonly first: components["schemas"]["Time"];
            /** @description The id of the key that sent them, as in the list of keys; null where it is not known. */
            readonly key_id: string | null;
            readonly last: components["schemas"]["Time"];
            /** @description What was said of one of them, cut at 300 characters. */
            readonly message: string;
            /** @description The endpoint, by the first of its paths; null for the group `other`. */
            readonly path: string | null;
            /** @description An RFC 6901 pointer to the member at fault, with `*` for indices of lists, cut at 200 characters; empty for the whole body, and where no member is at fault. */
            readonly pointer: string;
        };
        readonly RefusalPage: {
            /** @description Null on the last page. */
            readonly next_cursor: string | null;
            readonly refusals: readonly components["schemas"]["RefusalGroup"][];
        };
        readonly RefusedLinePage: {
            readonly next_cursor: string | null;
            readonly refused: readonly {
                /** @description Whether the line is longer than `text`. */
                readonly cut: boolean;
                readonly errors: components["schemas"]["Errors"];
                /** @description Where it begins; the first is 1. */
                readonly line: number;
                readonly text: string;
            }[];
        };
        readonly RejectedItem: {
            /** @description Why. Empty for the items after the first 100 problems. */
            readonly errors: readonly components["schemas"]["Error"][];
            /** @description Its place in the batch, from 0. */
            readonly index: number;
        };
        readonly RollbackBody: {
            readonly project?: string | null;
        };
        readonly SavedAudience: {
            readonly created_at: components["schemas"]["Time"];
            /** @description As it was sent. */
            readonly definition: Record<string, unknown>;
            /** @description The last; null where there was none. */
            readonly evaluation: components["schemas"]["AudienceEvaluation"] | null;
            /** @description The error code of an evaluation after that one which failed (`QUERY_LIMIT`), or which waits until analytics has again what it lost (`WAITING_FOR_ANALYTICS`), else null. */
            readonly failure: string | null;
            readonly id: components["schemas"]["AudienceId"];
            /** @description The only one of this name in the project. No control characters. */
            readonly name: string;
            /** @description How often it is evaluated by itself, from a minute to 366 days (m, h, d, w): `1h`. Null: only when asked. */
            readonly refresh: string | null;
            /** @description Of the audience: from 1, one more with every change of name, definition or refresh. Evaluations do not change it. It is the `ETag`. */
            readonly revision: number;
            readonly updated_at: components["schemas"]["Time"];
            /** @description Of the definition: from 1, one more with every change of it. */
            readonly version: number;
        };
        /**
         * Page, screen, group or alias
         * @description A call of an analytics SDK: recorded as a tracked event named after its type, the fields below kept as properties of the same name.
         */
        readonly SdkCall: {
            /** @description The page's category. */
            readonly category?: unknown;
            /** @description What the SDK knows of its surroundings. */
            readonly context?: unknown;
            /** @description The group that the user belongs to. */
            readonly groupId?: unknown;
            /** @description The page's or the screen's name. */
            readonly name?: unknown;
            /** @description The id that the user had before. */
            readonly previousId?: unknown;
            readonly properties?: components["schemas"]["Properties"];
            /** @description The group's traits. */
            readonly traits?: unknown;
        } & components["schemas"]["Call"];
        /** @description An id as analytics SDKs send it: null where they know none. */
        readonly SdkId: string | null;
        readonly SettledDeadLetters: {
            readonly dry_run: boolean;
            /** @description That were replayed or dropped, or would be. */
            readonly messages: number;
            /** @description Ids that name no dead letter. */
            readonly not_found: readonly string[];
            /** @description That were replayed or dropped before. They are not changed. */
            readonly settled_before: number;
            /** @description Those of them that this version cannot read either. */
            readonly still_undecodable: number;
        };
        readonly SignInBody: {
            /** @description A key with the scope `read`, `audiences` or `admin`. */
            readonly key: string;
        };
        readonly StoredEvent: {
            /** @description The anonymous id that was sent with it, beside a user id or alone; null where there was none. */
            readonly anonymous_id: string | null;
            readonly event: string;
            readonly message_id: string;
            /** @description As they were sent, digit for digit. */
            readonly properties: {
                readonly [key: string]: unknown;
            };
            readonly received_at: components["schemas"]["Time"];
            /** @description Null but for add-event. */
            readonly session_id: string | null;
            readonly timestamp: components["schemas"]["Time"];
        };
        /** @description Whether a store would take a message now, and what it says where it would not. */
        readonly StoreTrial: {
            readonly accepts: boolean;
            readonly error: string | null;
        };
        /** @description RFC 3339 in UTC with six digits of a second. */
        readonly Time: string;
        /**
         * @description When it took place: an ISO-8601 date-time, or a date alone for its first instant. Without an offset it is in the project's timezone; left out, it is now.
         * @example 2026-11-20T10:15:00.123456+02:00
         */
        readonly Timestamp: string;
        /**
         * Track
         * @description Records something a user did.
         */
        readonly Track: {
            /** @description What an analytics SDK knows of its surroundings; kept as the property context. */
            readonly context?: unknown;
            readonly event: components["schemas"]["Event"];
            readonly properties?: components["schemas"]["Properties"];
        } & components["schemas"]["Call"];
        readonly TraitHistory: {
            /** @description Null on the last page. */
            readonly next_cursor: string | null;
            readonly trait: string;
            readonly values: readonly components["schemas"]["GivenTraitValue"][];
        };
        readonly TraitMessage: {
            /** @description Null where the message's row is not known. */
            readonly message_id: string | null;
            readonly received_at: components["schemas"]["Time"];
            readonly timestamp: components["schemas"]["Time"];
            /** @enum {unknown} */
            readonly type: "identify" | "session" | null;
            /** @description Newer is larger. */
            readonly version: string;
        };
        /** @description A free-form dictionary of the user's traits. A trait given as null is removed from the profile. */
        readonly Traits: Record<string, unknown>;
        readonly TwoStepRefusal: {
            readonly message: string;
            readonly message_ids?: components["schemas"]["MessageIds"];
            /** @description The HTTP status. */
            readonly success: number;
        };
        readonly UserAudience: {
            /** @description When `is_member` changes if no further message arrives; null where it does not. */
            readonly changes_at: components["schemas"]["Time"] | null;
            /** @description What the last evaluation found; null where there was none. */
            readonly evaluation: {
                readonly at: components["schemas"]["Time"];
                readonly is_member: boolean;
                readonly version: number;
            } | null;
            readonly id: string;
            /** @description At `evaluated_at`. */
            readonly is_member: boolean;
            readonly name: string;
            /** @description The evaluation that found the user to have entered or left; null where none did, or where the last evaluation found otherwise or had another definition. */
            readonly since: components["schemas"]["Time"] | null;
            /** @description Of the definition. */
            readonly version: number;
        };
        readonly UserAudiences: {
            readonly audiences: readonly components["schemas"]["UserAudience"][];
            readonly evaluated_at: components["schemas"]["Time"];
            /** @description Null on the last page. */
            readonly next_cursor: string | null;
        };
        readonly UserExportLine: {
            /** @description Of `end`: how many lines come before it. */
            readonly lines?: number;
            /** @enum {string} */
            readonly type: "profile" | "anonymous_id" | "identify" | "session" | "track" | "audience" | "end";
        } & {
            readonly [key: string]: unknown;
        };
        /** @description The caller's unique identifier of the user. */
        readonly UserId: string;
        readonly UserPage: {
            /** @description Null on the last page. */
            readonly next_cursor: string | null;
            readonly users: readonly components["schemas"]["Profile"][];
        };
        /** @description A verification, whose `result` has the totals, and a page of its hours. */
        readonly Verification: {
            readonly hours: readonly components["schemas"]["VerifiedHour"][];
            /** @description The cursor of the next page; null on the last. */
            readonly next_cursor: string | null;
            readonly verification: components["schemas"]["VerificationJob"];
        };
        readonly VerificationBody: {
            /** @description Compares every profile by its content too. */
            readonly deep?: boolean;
            readonly project?: string;
            /** @description A time, `24h`, `7d`, `2w` or `all`; the last 24 hours where left out. */
            readonly since?: string;
            readonly until?: string;
        };
        /** @description A job whose `result` has the totals. */
        readonly VerificationJob: components["schemas"]["Job"] & {
            readonly result: null | components["schemas"]["VerifiedTotals"];
        };
        readonly VerificationPage: {
            readonly last: null | {
                readonly finished_at: components["schemas"]["Time"];
                readonly missing: {
                    readonly clickhouse: number;
                    readonly postgres: number;
                };
                readonly surplus: {
                    readonly clickhouse: number;
                    readonly postgres: number;
                };
            };
            readonly next_cursor: string | null;
            readonly verifications: readonly components["schemas"]["VerificationJob"][];
        };
        /** @description One project in one hour of arrival. */
        readonly VerifiedHour: {
            /** @description Messages that ClickHouse should have, and has. */
            readonly clickhouse: {
                readonly expected: number;
                readonly found: number;
            };
            /** @description In the dead letters of the store's reader. */
            readonly dead_letters: {
                readonly clickhouse: number;
                readonly postgres: number;
            };
            readonly equal: boolean;
            /** @description Its first instant. */
            readonly hour: components["schemas"]["Time"];
            /** @description In the log, each once. */
            readonly messages: number;
            /** @description Beyond the position of the store's reader when the verification began. No fault. */
            readonly not_yet: {
                readonly clickhouse: number;
                readonly postgres: number;
            };
            /** @description Messages and repeats that Postgres should have counted, and has. */
            readonly postgres: {
                readonly expected: number;
                readonly found: number;
            };
            readonly project: string;
            /** @description Copies of earlier messages in the log. */
            readonly repeats: number;
            /** @description From before the store kept what it is verified by. No fault. */
            readonly unknown: {
                readonly clickhouse: number;
                readonly postgres: number;
            };
        };
        readonly VerifiedTotals: {
            readonly equal: boolean;
            readonly hours_compared?: number;
            readonly hours_different?: number;
        } & {
            readonly [key: string]: unknown;
        };
        readonly WholeDeadLetter: {
            readonly attempts: readonly {
                readonly error: string;
                readonly failed_at: components["schemas"]["Time"];
                readonly id: string;
                readonly reader: string;
            }[];
            readonly bytes: number;
            readonly code: string | null;
            readonly copy: string | null;
            readonly copy_of: string | null;
            readonly failed_at: components["schemas"]["Time"];
            /** @description `topic/partition/offset` of the message. */
            readonly id: string;
            readonly key_base64: string;
            readonly message: {
                readonly [key: string]: unknown;
            } | null;
            readonly message_id: string | null;
            readonly project_id: string | null;
            /** @description The message as it can be edited; null where it cannot be decoded. */
            readonly record: components["schemas"]["EditableRecord"] | null;
            readonly settled_at: string | null;
            /**
             * @description `editing`: an edit was begun, and must be sent again to be finished.
             * @enum {string}
             */
            readonly state: "waiting" | "replayed" | "edited" | "dropped" | "editing";
            readonly value_base64: string;
        };
        readonly WhyBody: {
            /** @description In place of user_id: of a user who is known by an SDK's `anonymousId` alone. */
            readonly anonymous_id?: string;
            readonly definition: components["schemas"]["Audience"];
            /**
             * @description How many events of each condition to name.
             * @default 10
             */
            readonly events: number;
            /** @description In place of user_id: of any user. */
            readonly internal_id?: string;
            readonly user_id?: string;
        } & (unknown | unknown | unknown);
    };
    responses: {
        /** @description Somebody else changed the audience since the version that `If-Match` names. */
        readonly AudienceChanged: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter or the percent-encoding is wrong. */
        readonly BadParameter: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body, its type or its encoding is wrong. Nothing was recorded. */
        readonly BadRequest: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is over 512,000 bytes, decompressed. */
        readonly BatchTooLarge: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The definition was changed since the cursor was given. */
        readonly DefinitionChanged: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Somebody else has been evaluating it for longer than this request waits. */
        readonly EvaluatedNow: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service is several processes, which would not find the file. */
        readonly FilesNotTaken: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The file is larger than any that is taken: 64 GiB. */
        readonly FileTooLarge: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The import runs or is complete, or what it needs is not on this machine. */
        readonly ImportConflict: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The project has another audience of this name. */
        readonly NameTaken: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description This project has no such audience. */
        readonly NoAudience: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The project has no such audience, or no user of it is known by this id. */
        readonly NoAudienceOrUser: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The project has no event of this name. */
        readonly NoEventOfThisName: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such object. */
        readonly NoObject: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The receipt is another project's. */
        readonly NoReceipt: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The disk of the service has no room for the file. */
        readonly NoRoom: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The caller has it. */
        readonly NotModified: {
            headers: {
                readonly ETag: components["headers"]["ContentETag"];
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The project has an audience of this name, or as many audiences as it may (`MAX_PROJECT_AUDIENCES`). */
        readonly NotSaved: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No user of this project is known by this id. */
        readonly NoUser: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The question ran past its limit of time, memory or rows. */
        readonly QueryLimit: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Any other refusal: 405 (wrong method, with `Allow`), 408 (the request did not arrive in time), 431 (head over 16 KB), 500. */
        readonly Refused: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is over 1,048,576 bytes, decompressed. */
        readonly SelectionTooLarge: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description What is there stands in the way. */
        readonly StateConflict: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is over 32,768 bytes, decompressed. */
        readonly TooLarge: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The project's rate limit is exceeded, or the process holds as much as it may: unacknowledged bytes, or, of which a project gets at most half, bytes of bodies being received, questions, pages of events and streams. Nothing was recorded. */
        readonly TooManyRequests: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body, its type or its encoding is wrong. Nothing was recorded. */
        readonly TwoStepBadRequest: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["TwoStepRefusal"];
            };
        };
        /** @description Any other refusal: 405 (wrong method, with `Allow`), 408 (the request did not arrive in time), 431 (head over 16 KB), 500. */
        readonly TwoStepRefused: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["TwoStepRefusal"];
            };
        };
        /** @description The body is over 32,768 bytes, decompressed. */
        readonly TwoStepTooLarge: {
            headers: {
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["TwoStepRefusal"];
            };
        };
        /** @description The project's rate limit is exceeded, or the process holds as much as it may: unacknowledged bytes, or, of which a project gets at most half, bytes of bodies being received, questions, pages of events and streams. Nothing was recorded. */
        readonly TwoStepTooManyRequests: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["TwoStepRefusal"];
            };
        };
        /** @description The key is missing, unknown, revoked or of another scope. The body was not read. */
        readonly TwoStepUnauthorized: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["TwoStepRefusal"];
            };
        };
        /** @description The log or a store that this request needs is away, the process is stopping, or has as many connections as it may (then this one is closed, and nothing was recorded). What was to be recorded may be in the log in whole or in part: send it again under the ids given. */
        readonly TwoStepUnavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["TwoStepRefusal"];
            };
        };
        /** @description The key is missing, unknown, revoked or of another scope. The body was not read. */
        readonly Unauthorized: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The log or a store that this request needs is away, the process is stopping, or has as many connections as it may (then this one is closed, and nothing was recorded). What was to be recorded may be in the log in whole or in part: send it again under the ids given. */
        readonly Unavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "X-Request-Id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description The `internal_id` of the last line received, where a stream was cut: with the cursor of that stream (members), or with the `at` of that line as `since` (changes). */
        readonly After: components["schemas"]["InternalId"];
        /** @description An SDK's `anonymousId`; `internal_id` may take its place. */
        readonly AnonymousId: string;
        /**
         * @description The id of the saved audience.
         * @example aud_0123456789abcdefghij
         */
        readonly AudienceId: string;
        /** @description What the id in the path is. */
        readonly By: "user_id" | "anonymous_id" | "internal_id";
        /** @description How many names a page has at most. */
        readonly CatalogLimit: number;
        /** @description `count`: the most frequent first, those of one count by name. `name`: by name. */
        readonly CatalogOrder: "count" | "name";
        /**
         * @description Only names that begin so.
         * @example Order
         */
        readonly CatalogPrefix: string;
        /** @description How the body is compressed. */
        readonly ContentEncoding: "identity" | "gzip" | "x-gzip" | "deflate" | "br" | "zstd";
        /** @description The `next_cursor` of the page before. */
        readonly Cursor: string;
        /**
         * @description Only events of this name.
         * @example Order Completed
         */
        readonly Event: string;
        /**
         * @description The name of the event, percent-encoded: a slash in it is `%2F`.
         * @example Order Completed
         */
        readonly EventName: string;
        /**
         * @description Only events whose `timestamp` is this time or later. Without an offset it is local time in the project's time zone; a date alone is its first instant there.
         * @example 2026-11-01T00:00:00Z
         */
        readonly EventsSince: string;
        /**
         * @description Only events whose `timestamp` is before this time, read as `since` is. It is later than `since`.
         * @example 2026-12-01
         */
        readonly EventsUntil: string;
        /**
         * @description Names the whole request: messages without a `message_id` get one made from it, so that sending the request again counts once.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        readonly IdempotencyKey: string;
        /**
         * @description The `ETag` of the audience as it was last read, or several: the change is made only if it has one of them now, else it is 412. A weak one (`W/`) never matches. `*`: whatever it is now, as without it.
         * @example "1"
         */
        readonly IfMatch: string;
        /**
         * @description ETags of what the caller has: 304 where it is one of them.
         * @example "n4bQgYhMfWWaL-qgxVrQFa"
         */
        readonly IfNoneMatch: string;
        /** @description The internal id of the user; `anonymous_id` may take its place. */
        readonly InternalIdOfUser: components["schemas"]["InternalId"];
        /** @description How many entries a page has at most. */
        readonly Limit: number;
        /** @description How many lines to give at most, the last not counted. Without it, all. */
        readonly Lines: number;
        /**
         * @description RFC 7240. With `handling=lenient` the valid items are recorded and the others listed under `rejected`; with no valid item it is 400 all the same.
         * @example handling=lenient
         */
        readonly Prefer: string;
        /**
         * @description The receipt of an accepted request. Those of versions that did not sign them yet are read until version 1.0, if the log has what they name.
         * @example Ahlwcm9qX2ExYjJjM2Q0ZTVmNmc3aDhpOWow6NiXwJ80AQEFiK1LrhEOg2a40BPmLmqOCkDAFA
         */
        readonly Receipt: string;
        /**
         * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        readonly RepeatKey: string;
        /**
         * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
         * @example req-42
         */
        readonly RequestId: string;
        /** @description How many user ids to give. */
        readonly Sample: number;
        /**
         * @description Only changes of evaluations after this time; without an offset, in the project's time zone. Without it, all there are.
         * @example 2026-11-20T09:15:00.200000Z
         */
        readonly Since: string;
        /**
         * @description `1`, as the console's page sends it.
         * @example 1
         */
        readonly TidemarkConsole: "1";
        /**
         * @description The trait's name, percent-encoded.
         * @example plan
         */
        readonly TraitName: string;
        /**
         * @description `NAME:VALUE`: users whose trait of this name is this value: a string of this text, or a number or boolean so written. Nothing of an object or array is searched. In the name a colon is written `\:` and a backslash `\\`.
         * @example email:ada@example.com
         */
        readonly TraitValue: string;
        /**
         * @description The caller's id of the user, or the id that `by` says, percent-encoded: a slash in it is `%2F`. (An id of one or two dots cannot be sent by clients that normalize paths, as browsers and fetch do.)
         * @example ada
         */
        readonly UserId: string;
        /**
         * @description Users whose `user_id` begins with this text. Empty, it takes all of them.
         * @example ada
         */
        readonly UserIdPrefix: string;
        /**
         * @description How many seconds to wait until both are true; up to three digits of a fraction.
         * @example 5
         */
        readonly Wait: number;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Changes with the content.
         * @example "n4bQgYhMfWWaL-qgxVrQFa"
         */
        readonly ContentETag: string;
        /**
         * @description Names this stream and its evaluation. Where the stream is cut, send it as `cursor`, with `after`.
         * @example AwAF
         */
        readonly Cursor: string;
        /**
         * @description The `revision` of the audience, for `If-Match`.
         * @example "1"
         */
        readonly ETag: string;
        /**
         * @description Where it is found.
         * @example /v1/audiences/aud_0123456789abcdefghij
         */
        readonly Location: string;
        /**
         * @description `handling=lenient` where the request preferred it.
         * @example handling=lenient
         */
        readonly PreferenceApplied: "handling=lenient";
        /**
         * @description The id of the request, the caller's or ours.
         * @example req-42
         */
        readonly RequestId: string;
        /**
         * @description Seconds after which to try again.
         * @example 1
         */
        readonly RetryAfter: number;
        /**
         * @description The scheme to authenticate with.
         * @example Bearer realm="tidemark"
         */
        readonly WwwAuthenticate: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly getFrontPage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The name of the service and paths of what it has; to a browser a page for people. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FrontPage"];
                    readonly "text/html": string;
                };
            };
        };
    };
    readonly getConsoleSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The session, or null. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ConsoleSessionAnswer"];
                };
            };
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly signIn: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description `1`, as the console's page sends it.
                 * @example 1
                 */
                readonly "Tidemark-Console"?: components["parameters"]["TidemarkConsole"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 4,096 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SignInBody"];
            };
        };
        readonly responses: {
            /** @description The session, whose cookie is in `Set-Cookie`. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ConsoleSessionAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly signOut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description `1`, as the console's page sends it.
                 * @example 1
                 */
                readonly "Tidemark-Console"?: components["parameters"]["TidemarkConsole"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description There is no session any more. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getReference: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description ETags of what the caller has: 304 where it is one of them.
                 * @example "n4bQgYhMfWWaL-qgxVrQFa"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description This document, rendered in the browser by what is served from here. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ContentETag"];
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": string;
                };
            };
            readonly 304: components["responses"]["NotModified"];
        };
    };
    readonly getReferenceFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description ETags of what the caller has: 304 where it is one of them.
                 * @example "n4bQgYhMfWWaL-qgxVrQFa"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The name of the file.
                 * @example swagger-ui.css
                 */
                readonly file: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ContentETag"];
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/css": string;
                    readonly "text/javascript": string;
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 404: components["responses"]["NoUser"];
        };
    };
    readonly getHealth: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    readonly addEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the whole request: messages without a `message_id` get one made from it, so that sending the request again counts once.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AddEvent"];
            };
        };
        readonly responses: {
            /** @description The event is safe in the log. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AddEventAnswer"];
                };
            };
            readonly 400: components["responses"]["TwoStepBadRequest"];
            readonly 401: components["responses"]["TwoStepUnauthorized"];
            readonly 413: components["responses"]["TwoStepTooLarge"];
            readonly 429: components["responses"]["TwoStepTooManyRequests"];
            readonly 503: components["responses"]["TwoStepUnavailable"];
            readonly default: components["responses"]["TwoStepRefused"];
        };
    };
    readonly createProjectUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the whole request: messages without a `message_id` get one made from it, so that sending the request again counts once.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ProjectUser"];
            };
        };
        readonly responses: {
            /** @description The user exists; the session has begun. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProjectUserAnswer"];
                };
            };
            readonly 400: components["responses"]["TwoStepBadRequest"];
            readonly 401: components["responses"]["TwoStepUnauthorized"];
            readonly 413: components["responses"]["TwoStepTooLarge"];
            readonly 429: components["responses"]["TwoStepTooManyRequests"];
            readonly 503: components["responses"]["TwoStepUnavailable"];
            readonly default: components["responses"]["TwoStepRefused"];
        };
    };
    readonly projectUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the whole request: messages without a `message_id` get one made from it, so that sending the request again counts once.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ProjectUser"];
            };
        };
        readonly responses: {
            /** @description The user exists; the session has begun. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProjectUserAnswer"];
                };
            };
            readonly 400: components["responses"]["TwoStepBadRequest"];
            readonly 401: components["responses"]["TwoStepUnauthorized"];
            readonly 413: components["responses"]["TwoStepTooLarge"];
            readonly 429: components["responses"]["TwoStepTooManyRequests"];
            readonly 503: components["responses"]["TwoStepUnavailable"];
            readonly default: components["responses"]["TwoStepRefused"];
        };
    };
    readonly getMetrics: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The metrics. No project or user stands in a label. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
        };
    };
    readonly getOpenApi: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description ETags of what the caller has: 304 where it is one of them.
                 * @example "n4bQgYhMfWWaL-qgxVrQFa"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description This document. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ContentETag"];
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
        };
    };
    readonly getReadiness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It listens, and everything it runs can do its work. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description It is starting, stopping, or a part that it needs is away. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["RetryAfter"];
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    readonly listAuditEntries: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Only this action.
                 * @example audience.change
                 */
                readonly action?: string;
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
                /**
                 * @description Only changes by this one: the id or the name of a key, `local`, or the name of a user.
                 * @example local
                 */
                readonly principal?: string;
                /** @description Only changes in this project: its id or, where no other has it, its name. */
                readonly project?: string;
                /**
                 * @description Only changes from this time on. Without an offset, in UTC.
                 * @example 2026-11-01T00:00:00Z
                 */
                readonly since?: string;
                /** @description Only changes before this time. Without an offset, in UTC. */
                readonly until?: string;
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of entries. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AuditEntries"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listDeadLetters: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Of this error code alone.
                 * @example STORE_REJECTED
                 */
                readonly error?: string;
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
                /** @description Of messages of this project alone, by its id. */
                readonly project?: string;
                /** @description Of this reader alone: `projector` or `sink`. */
                readonly reader?: string;
                /** @description That failed from then on: a time, or a while ago such as `2h`. */
                readonly since?: string;
                /** @description `waiting` where left out; `replayed`, `dropped` or `any`. */
                readonly state?: string;
                /** @description Of messages of this topic alone. */
                readonly topic?: string;
                /** @description That failed before then. */
                readonly until?: string;
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of dead letters, and of all that were selected how many have which reader, topic, code, project and day. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeadLetterPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getDeadLetter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the message, percent-encoded: `topic/partition/offset`.
                 * @example tidemark.track/0/41
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description All that is known of it. `message` is null where it cannot be decoded. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WholeDeadLetter"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly editDeadLetter: {
        readonly parameters: {
            readonly query: {
                /** @description With `true` nothing is appended: the answer says whether the message would decode (else it is refused) and whether each store would take it now. */
                readonly dry_run: boolean;
            };
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the message, percent-encoded: `topic/partition/offset`.
                 * @example tidemark.track/0/41
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 1,048,576 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["EditableRecord"];
            };
        };
        readonly responses: {
            /** @description What was appended, or would become of it. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EditedDeadLetter"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 409: components["responses"]["StateConflict"];
            readonly 413: components["responses"]["SelectionTooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly dropDeadLetters: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 1,048,576 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["DeadLetterSelection"];
            };
        };
        readonly responses: {
            /** @description The job that does it. With `Accept: application/x-ndjson` 200 and a line of JSON for each progress, at least one a second, and a last line with `result` or `problem`; whoever leaves such a stream cancels the job. */
            readonly 202: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeadLetterJob"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["SelectionTooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly replayDeadLetters: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 1,048,576 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["DeadLetterSelection"];
            };
        };
        readonly responses: {
            /** @description The job that does it. With `Accept: application/x-ndjson` 200 and a line of JSON for each progress, at least one a second, and a last line with `result` or `problem`; whoever leaves such a stream cancels the job. */
            readonly 202: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeadLetterJob"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["SelectionTooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listGenerations: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description All of them; there are few. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Generations"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly buildGeneration: {
        readonly parameters: {
            readonly query?: {
                /** @description `true` answers 200 with what it would take, and does nothing. */
                readonly dry_run?: "true" | "false";
            };
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["GenerationBody"];
            };
        };
        readonly responses: {
            /** @description With `dry_run=true`: what a replay would take. Nothing is started. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PlannedReplay"];
                };
            };
            /** @description The job that does it. With `Accept: application/x-ndjson` 200 and a line of JSON for each progress, at least one a second, and a last line with `result` or `problem`; whoever leaves such a stream cancels the job. */
            readonly 202: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly changeGeneration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description `profiles` or `analytics`.
                 * @example profiles
                 */
                readonly kind: "profiles" | "analytics";
                /**
                 * @description Its number.
                 * @example 2
                 */
                readonly number: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RateLimit"];
            };
        };
        readonly responses: {
            /** @description The generation. Its readers follow within a second. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Generation"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly compareGeneration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description `profiles` or `analytics`.
                 * @example profiles
                 */
                readonly kind: "profiles" | "analytics";
                /**
                 * @description Its number.
                 * @example 2
                 */
                readonly number: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The job that does it. With `Accept: application/x-ndjson` 200 and a line of JSON for each progress, at least one a second, and a last line with `result` or `problem`; whoever leaves such a stream cancels the job. */
            readonly 202: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ComparisonJob"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly dropGeneration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description `profiles` or `analytics`.
                 * @example profiles
                 */
                readonly kind: "profiles" | "analytics";
                /**
                 * @description Its number.
                 * @example 2
                 */
                readonly number: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The job that does it. With `Accept: application/x-ndjson` 200 and a line of JSON for each progress, at least one a second, and a last line with `result` or `problem`; whoever leaves such a stream cancels the job. */
            readonly 202: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 409: components["responses"]["StateConflict"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly rollbackGeneration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description `profiles` or `analytics`.
                 * @example profiles
                 */
                readonly kind: "profiles" | "analytics";
                /**
                 * @description The number of the live one, or `live`.
                 * @example live
                 */
                readonly number: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RollbackBody"];
            };
        };
        readonly responses: {
            /** @description The job that does it. With `Accept: application/x-ndjson` 200 and a line of JSON for each progress, at least one a second, and a last line with `result` or `problem`; whoever leaves such a stream cancels the job. */
            readonly 202: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 409: components["responses"]["StateConflict"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly swapGeneration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description `profiles` or `analytics`.
                 * @example profiles
                 */
                readonly kind: "profiles" | "analytics";
                /**
                 * @description Its number.
                 * @example 2
                 */
                readonly number: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The job that does it. With `Accept: application/x-ndjson` 200 and a line of JSON for each progress, at least one a second, and a last line with `result` or `problem`; whoever leaves such a stream cancels the job. */
            readonly 202: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 409: components["responses"]["StateConflict"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listImports: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
                /** @description Of this state alone. */
                readonly state?: "queued" | "running" | "done" | "failed" | "cancelled" | "interrupted";
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of imports, of every process. They are kept for 30 days. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly startImport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ImportBody"];
            };
        };
        readonly responses: {
            /** @description The job that does it; its id is that of the import. `DELETE /v1/admin/jobs/{id}` stops it. With `Accept: application/x-ndjson` 200 and a line of JSON for each progress, at least one a second, and a last line with `result` or `problem`; whoever leaves such a stream stops the import. */
            readonly 202: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportJob"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getImport: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Seconds to wait for its end.
                 * @example 5
                 */
                readonly wait: number;
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description Of the import: that of its job.
                 * @example job_0123456789abcdef0123
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The import. Its `progress` counts bytes of the file, `lines`, and of those `accepted` and `refused`; its `result` the same. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportJob"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listRefusedLines: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description Of the import.
                 * @example job_0123456789abcdef0123
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of 1 MiB at most. With `Accept: application/x-ndjson` all of them, as they are. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RefusedLinePage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 409: components["responses"]["ImportConflict"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly resumeImport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description Of the import.
                 * @example job_0123456789abcdef0123
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The same job. It goes on behind the last line that is safe in the log. With `Accept: application/x-ndjson` 200 and a line of JSON for each progress, at least one a second, and a last line with `result` or `problem`; whoever leaves such a stream stops the import. */
            readonly 202: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportJob"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 409: components["responses"]["ImportConflict"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly uploadImportFile: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description What the file is called.
                 * @example history.csv
                 */
                readonly name?: string;
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The bytes of the file, as they are: NDJSON or CSV, compressed with gzip or not. */
        readonly requestBody: {
            readonly content: {
                readonly "application/octet-stream": string;
            };
        };
        readonly responses: {
            /** @description It stays for 7 days since it was used last, or until it is imported. */
            readonly 201: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportFile"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 409: components["responses"]["FilesNotTaken"];
            readonly 413: components["responses"]["FileTooLarge"];
            readonly 507: components["responses"]["NoRoom"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getImportFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description Of the uploaded file.
                 * @example file_0123456789abcdef0123
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Continue behind `bytes`. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportFile"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly deleteImportFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description Of the uploaded file.
                 * @example file_0123456789abcdef0123
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file as it was. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportFile"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly continueImportFile: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description How many bytes of the file are before this part. Left out: all that have arrived.
                 * @example 0
                 */
                readonly offset?: number;
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description Of the uploaded file.
                 * @example file_0123456789abcdef0123
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description The bytes of the file, as they are: NDJSON or CSV, compressed with gzip or not. */
        readonly requestBody: {
            readonly content: {
                readonly "application/octet-stream": string;
            };
        };
        readonly responses: {
            /** @description The file so far. What stood behind `offset` before is replaced, so that a part can be sent again. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportFile"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 409: components["responses"]["FilesNotTaken"];
            readonly 413: components["responses"]["FileTooLarge"];
            readonly 507: components["responses"]["NoRoom"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly previewImport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ImportSource"];
            };
        };
        readonly responses: {
            /** @description With `problem`, the columns are shown as they are without `map` and `json_columns`. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportPreview"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listJobs: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Of this kind alone.
                 * @example verify
                 */
                readonly kind?: string;
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
                /** @description Of this state alone. */
                readonly state?: "queued" | "running" | "done" | "failed" | "cancelled" | "interrupted";
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of jobs, of every process. They are kept for 30 days, 1,000 at most. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JobPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getJob: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Seconds to wait for its end, 30 at most.
                 * @example 30
                 */
                readonly wait: number;
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the job.
                 * @example job_0123456789abcdef0123
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The job. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly cancelJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the job.
                 * @example job_0123456789abcdef0123
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The job as it is now: it ends within a second or two. What it has done stays done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listAdminKeys: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of keys. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly createAdminKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AdminKeyBody"];
            };
        };
        readonly responses: {
            /** @description The key, shown only this once. */
            readonly 201: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreatedKey"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly revokeKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the key.
                 * @example key_4s9x2m7c0b5n8q3z1t6k
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key. It stops working within ten seconds. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminKey"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listPartitions: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The partitions. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PartitionPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listProjects: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of projects. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProjectPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly createProject: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ProjectBody"];
            };
        };
        readonly responses: {
            /** @description The project. */
            readonly 201: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminProject"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getProject: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the project.
                 * @example proj_1m3h8fkq0z6d2c9w5t7y
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The project. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminProject"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly deleteProject: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The name of the project, for one that is not empty. Another name is 409 (`PROJECT_NAME_DIFFERS`).
                 * @example Shop
                 */
                readonly confirm?: string;
                /** @description Counts what would be deleted, and deletes nothing. */
                readonly dry_run?: "true" | "false";
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the project.
                 * @example proj_1m3h8fkq0z6d2c9w5t7y
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It was empty and is deleted, with its revoked keys. Of a dry run: what it has. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeletedProject"];
                };
            };
            /** @description The job that does it. With `Accept: application/x-ndjson` 200 and a line of JSON for each progress, at least one a second, and a last line with `result` or `problem`; whoever leaves such a stream cancels the job. */
            readonly 202: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 409: components["responses"]["StateConflict"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly changeProject: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the project.
                 * @example proj_1m3h8fkq0z6d2c9w5t7y
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ProjectChanges"];
            };
        };
        readonly responses: {
            /** @description The project as it is now. Processes follow within ten seconds. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminProject"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listProjectKeys: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the project.
                 * @example proj_1m3h8fkq0z6d2c9w5t7y
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of keys, never the keys themselves. Revoked ones are among them. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly createProjectKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the project.
                 * @example proj_1m3h8fkq0z6d2c9w5t7y
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["KeyBody"];
            };
        };
        readonly responses: {
            /** @description The key, shown only this once. */
            readonly 201: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreatedKey"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getStatus: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The status. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InstallationStatus"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listVerifications: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
                /** @description Of this state alone. */
                readonly state?: "queued" | "running" | "done" | "failed" | "cancelled" | "interrupted";
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Those that were started, and `last`: what the service found when it last verified by itself. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["VerificationPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly startVerification: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["VerificationBody"];
            };
        };
        readonly responses: {
            /** @description The job that does it. With `Accept: application/x-ndjson` 200 and a line of JSON for each progress, at least one a second, and a last line with `result` or `problem`; whoever leaves such a stream cancels the job. */
            readonly 202: {
                headers: {
                    /** @description Where the object is. */
                    readonly Location?: string;
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["VerificationJob"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getVerification: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description `true`: hours alone in which a store differs from the log. `false`: the others. */
                readonly differing?: "true" | "false";
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
                /** @description Of this project alone, by its id. */
                readonly project?: string;
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the job; `last` for what the service last found by itself.
                 * @example last
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description How it stands, and a page of its hours. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Verification"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoObject"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly alias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the whole request: messages without a `message_id` get one made from it, so that sending the request again counts once.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SdkCall"];
            };
        };
        readonly responses: {
            /** @description The message is safe in the log. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listAudiences: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of audiences. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AudiencePage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly saveAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AudienceBody"];
            };
        };
        readonly responses: {
            /** @description The audience as it was saved. */
            readonly 201: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly Location: components["headers"]["Location"];
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SavedAudience"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 409: components["responses"]["NotSaved"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the saved audience.
                 * @example aud_0123456789abcdefghij
                 */
                readonly id: components["parameters"]["AudienceId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The audience. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SavedAudience"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudience"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly replaceAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description The `ETag` of the audience as it was last read, or several: the change is made only if it has one of them now, else it is 412. A weak one (`W/`) never matches. `*`: whatever it is now, as without it.
                 * @example "1"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the saved audience.
                 * @example aud_0123456789abcdefghij
                 */
                readonly id: components["parameters"]["AudienceId"];
            };
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AudienceBody"];
            };
        };
        readonly responses: {
            /** @description The audience as it is now. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SavedAudience"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudience"];
            readonly 409: components["responses"]["NameTaken"];
            readonly 412: components["responses"]["AudienceChanged"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly deleteAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the audience as it was last read, or several: the change is made only if it has one of them now, else it is 412. A weak one (`W/`) never matches. `*`: whatever it is now, as without it.
                 * @example "1"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the saved audience.
                 * @example aud_0123456789abcdefghij
                 */
                readonly id: components["parameters"]["AudienceId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is deleted. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AudienceDeleted"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudience"];
            readonly 412: components["responses"]["AudienceChanged"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly changeAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description The `ETag` of the audience as it was last read, or several: the change is made only if it has one of them now, else it is 412. A weak one (`W/`) never matches. `*`: whatever it is now, as without it.
                 * @example "1"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the saved audience.
                 * @example aud_0123456789abcdefghij
                 */
                readonly id: components["parameters"]["AudienceId"];
            };
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AudienceChanges"];
            };
        };
        readonly responses: {
            /** @description The audience as it is now. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SavedAudience"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudience"];
            readonly 409: components["responses"]["NameTaken"];
            readonly 412: components["responses"]["AudienceChanged"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listAudienceChanges: {
        readonly parameters: {
            readonly query: {
                /** @description The `internal_id` of the last line received, where a stream was cut: with the cursor of that stream (members), or with the `at` of that line as `since` (changes). */
                readonly after?: components["parameters"]["After"];
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many lines to give at most, the last not counted. Without it, all. */
                readonly limit?: components["parameters"]["Lines"];
                /**
                 * @description Only changes of evaluations after this time; without an offset, in the project's time zone. Without it, all there are.
                 * @example 2026-11-20T09:15:00.200000Z
                 */
                readonly since?: components["parameters"]["Since"];
                /**
                 * @description How many seconds to wait for changes where there are none. In one process 1,000 requests may wait at once, of one project 500.
                 * @example 10
                 */
                readonly wait: number;
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the saved audience.
                 * @example aud_0123456789abcdefghij
                 */
                readonly id: components["parameters"]["AudienceId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Lines of changes and a last one. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": components["schemas"]["AudienceChangeLine"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudience"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly evaluateAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request: sent again within 24 hours, it is carried out once and answered the same, with `Idempotency-Replayed: true`. Another request under the same name is 422 (`key-reused`), one that is not answered yet 409 (`in-progress`), one whose answer is shown once, or was streamed, 409 (`already-done`). What was refused is not remembered.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["RepeatKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the saved audience.
                 * @example aud_0123456789abcdefghij
                 */
                readonly id: components["parameters"]["AudienceId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The audience after the evaluation. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SavedAudience"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudience"];
            readonly 409: components["responses"]["EvaluatedNow"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly explainSavedAudience: {
        readonly parameters: {
            readonly query: {
                /** @description How many user ids to give. */
                readonly sample: components["parameters"]["Sample"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the saved audience.
                 * @example aud_0123456789abcdefghij
                 */
                readonly id: components["parameters"]["AudienceId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The SQL, and what each part of it reads. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AudienceExplanation"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudience"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listAudienceHistory: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
                /** @description One entry for every hour or day (UTC) with evaluations: the last of them, with the sums of who entered and who left. Without it, one for every evaluation. */
                readonly per?: "hour" | "day";
                /**
                 * @description Only evaluations from this time on; without an offset, in the project's time zone.
                 * @example 2026-11-01
                 */
                readonly since?: string;
                /**
                 * @description Only evaluations before this time; without an offset, in the project's time zone.
                 * @example 2026-12-01
                 */
                readonly until?: string;
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the saved audience.
                 * @example aud_0123456789abcdefghij
                 */
                readonly id: components["parameters"]["AudienceId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of evaluations. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AudienceHistoryPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudience"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listAudienceMembers: {
        readonly parameters: {
            readonly query?: {
                /** @description The `internal_id` of the last line received, where a stream was cut: with the cursor of that stream (members), or with the `at` of that line as `since` (changes). */
                readonly after?: components["parameters"]["After"];
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many lines to give at most, the last not counted. Without it, all. */
                readonly limit?: components["parameters"]["Lines"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the saved audience.
                 * @example aud_0123456789abcdefghij
                 */
                readonly id: components["parameters"]["AudienceId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Lines of members and a last one. */
            readonly 200: {
                headers: {
                    readonly "Tidemark-Cursor": components["headers"]["Cursor"];
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": components["schemas"]["AudienceMemberLine"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudience"];
            readonly 409: components["responses"]["DefinitionChanged"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly previewSavedAudience: {
        readonly parameters: {
            readonly query: {
                /** @description How many user ids to give. */
                readonly sample: components["parameters"]["Sample"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the saved audience.
                 * @example aud_0123456789abcdefghij
                 */
                readonly id: components["parameters"]["AudienceId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The audience as it is now. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AudiencePreview"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudience"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listAudienceVersions: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the saved audience.
                 * @example aud_0123456789abcdefghij
                 */
                readonly id: components["parameters"]["AudienceId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of versions. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AudienceVersionPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudience"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly explainSavedVerdict: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description In place of user_id: of a user who is known by an SDK's `anonymousId` alone.
                 * @example 5b1f
                 */
                readonly anonymous_id?: string;
                /**
                 * @description How many events of each condition to name.
                 * @example 3
                 */
                readonly events: number;
                /** @description In place of user_id: of any user. */
                readonly internal_id?: string;
                /**
                 * @description Whom it is about; anonymous_id or internal_id may stand in its place.
                 * @example ada
                 */
                readonly user_id?: string;
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The id of the saved audience.
                 * @example aud_0123456789abcdefghij
                 */
                readonly id: components["parameters"]["AudienceId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The verdict, with that of every part of the definition. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AudienceWhy"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudienceOrUser"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly compareAudiences: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CompareBody"];
            };
        };
        readonly responses: {
            /** @description Both audiences as they are now, and what the change makes of their users. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AudienceComparison"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoAudience"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly explainAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PreviewBody"];
            };
        };
        readonly responses: {
            /** @description The SQL, and what each part of it reads. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AudienceExplanation"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly previewAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PreviewBody"];
            };
        };
        readonly responses: {
            /** @description The audience as it is now. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AudiencePreview"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly explainVerdict: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["WhyBody"];
            };
        };
        readonly responses: {
            /** @description The verdict, with that of every part of the definition. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AudienceWhy"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoUser"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly batch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the whole request: messages without a `message_id` get one made from it, so that sending the request again counts once.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description RFC 7240. With `handling=lenient` the valid items are recorded and the others listed under `rejected`; with no valid item it is 400 all the same.
                 * @example handling=lenient
                 */
                readonly Prefer?: components["parameters"]["Prefer"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 512,000 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["BatchBody"];
            };
        };
        readonly responses: {
            /** @description Every message, or with `Prefer: handling=lenient` every valid one, is safe in the log. */
            readonly 200: {
                headers: {
                    readonly "Preference-Applied": components["headers"]["PreferenceApplied"];
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BatchAccepted"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["BatchTooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listCatalogEvents: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many names a page has at most. */
                readonly limit: components["parameters"]["CatalogLimit"];
                /** @description `count`: the most frequent first, those of one count by name. `name`: by name. */
                readonly order: components["parameters"]["CatalogOrder"];
                /**
                 * @description Only names that begin so.
                 * @example Order
                 */
                readonly prefix?: components["parameters"]["CatalogPrefix"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of the catalogue. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CatalogEvents"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listCatalogProperties: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many names a page has at most. */
                readonly limit: components["parameters"]["CatalogLimit"];
                /** @description `count`: the most frequent first, those of one count by name. `name`: by name. */
                readonly order: components["parameters"]["CatalogOrder"];
                /**
                 * @description Only names that begin so.
                 * @example Order
                 */
                readonly prefix?: components["parameters"]["CatalogPrefix"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The name of the event, percent-encoded: a slash in it is `%2F`.
                 * @example Order Completed
                 */
                readonly name: components["parameters"]["EventName"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of the catalogue. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CatalogProperties"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoEventOfThisName"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listCatalogTraits: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many names a page has at most. */
                readonly limit: components["parameters"]["CatalogLimit"];
                /** @description `count`: the most frequent first, those of one count by name. `name`: by name. */
                readonly order: components["parameters"]["CatalogOrder"];
                /**
                 * @description Only names that begin so.
                 * @example Order
                 */
                readonly prefix?: components["parameters"]["CatalogPrefix"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of the catalogue. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CatalogTraits"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listEvents: {
        readonly parameters: {
            readonly query: {
                /** @description An SDK's `anonymousId`; `internal_id` may take its place. */
                readonly anonymous_id?: components["parameters"]["AnonymousId"];
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Only events of this name.
                 * @example Order Completed
                 */
                readonly event?: components["parameters"]["Event"];
                /** @description The internal id of the user; `anonymous_id` may take its place. */
                readonly internal_id?: components["parameters"]["InternalIdOfUser"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
                /**
                 * @description Only events whose `timestamp` is this time or later. Without an offset it is local time in the project's time zone; a date alone is its first instant there.
                 * @example 2026-11-01T00:00:00Z
                 */
                readonly since?: components["parameters"]["EventsSince"];
                /**
                 * @description Only events whose `timestamp` is before this time, read as `since` is. It is later than `since`.
                 * @example 2026-12-01
                 */
                readonly until?: components["parameters"]["EventsUntil"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of events. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EventPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoUser"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly countEvents: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["EventCounts"];
            };
        };
        readonly responses: {
            /** @description The answer. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EventCountsAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly watchEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description Only tracks of this name. */
                readonly event?: string;
                /** @description How long the stream goes on; without it, until the listener leaves. */
                readonly seconds?: number;
                /** @description Only messages with a value in their traits or properties, at any depth, that contains this text, or that is this number: `12.50` finds 12.5. */
                readonly text?: string;
                /** @description Only messages of this type. */
                readonly type?: "identify" | "track" | "session";
                /** @description Only messages of this user, or of this anonymous id, events that were added with a session included. */
                readonly user_id?: string;
            };
            readonly header?: {
                /** @description The id of the last event that was received. */
                readonly "Last-Event-ID"?: string;
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The stream. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": string;
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly queryEvents: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["EventQuery"];
            };
        };
        readonly responses: {
            /** @description The answer. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProjectEventPage"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly group: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the whole request: messages without a `message_id` get one made from it, so that sending the request again counts once.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SdkCall"];
            };
        };
        readonly responses: {
            /** @description The message is safe in the log. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly identify: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the whole request: messages without a `message_id` get one made from it, so that sending the request again counts once.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Identify"];
            };
        };
        readonly responses: {
            /** @description The message is safe in the log. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly page: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the whole request: messages without a `message_id` get one made from it, so that sending the request again counts once.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SdkCall"];
            };
        };
        readonly responses: {
            /** @description The message is safe in the log. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getReceipt: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description How many seconds to wait until both are true; up to three digits of a fraction.
                 * @example 5
                 */
                readonly wait: components["parameters"]["Wait"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The receipt of an accepted request. Those of versions that did not sign them yet are read until version 1.0, if the log has what they name.
                 * @example Ahlwcm9qX2ExYjJjM2Q0ZTVmNmc3aDhpOWow6NiXwJ80AQEFiK1LrhEOg2a40BPmLmqOCkDAFA
                 */
                readonly receipt: components["parameters"]["Receipt"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description How far the readers of the log have come. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ReceiptState"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoReceipt"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listRefusals: {
        readonly parameters: {
            readonly query: {
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of groups. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RefusalPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly screen: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the whole request: messages without a `message_id` get one made from it, so that sending the request again counts once.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SdkCall"];
            };
        };
        readonly responses: {
            /** @description The message is safe in the log. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getProjectStatus: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The status. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProjectStatus"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly track: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description How the body is compressed. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /**
                 * @description Names the whole request: messages without a `message_id` get one made from it, so that sending the request again counts once.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 32,768 bytes once decompressed. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Track"];
            };
        };
        readonly responses: {
            /** @description The message is safe in the log. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listUsers: {
        readonly parameters: {
            readonly query: {
                /** @description An SDK's `anonymousId`; `internal_id` may take its place. */
                readonly anonymous_id?: components["parameters"]["AnonymousId"];
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description The internal id of the user; `anonymous_id` may take its place. */
                readonly internal_id?: components["parameters"]["InternalIdOfUser"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
                /**
                 * @description Users whose `user_id` begins with this text. Empty, it takes all of them.
                 * @example ada
                 */
                readonly prefix?: components["parameters"]["UserIdPrefix"];
                /**
                 * @description `NAME:VALUE`: users whose trait of this name is this value: a string of this text, or a number or boolean so written. Nothing of an object or array is searched. In the name a colon is written `\:` and a backslash `\\`.
                 * @example email:ada@example.com
                 */
                readonly trait?: components["parameters"]["TraitValue"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of users. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UserPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getUser: {
        readonly parameters: {
            readonly query: {
                /** @description What the id in the path is. */
                readonly by: components["parameters"]["By"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The caller's id of the user, or the id that `by` says, percent-encoded: a slash in it is `%2F`. (An id of one or two dots cannot be sent by clients that normalize paths, as browsers and fetch do.)
                 * @example ada
                 */
                readonly user_id: components["parameters"]["UserId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The profile. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Profile"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoUser"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listUserAudiences: {
        readonly parameters: {
            readonly query: {
                /** @description What the id in the path is. */
                readonly by: components["parameters"]["By"];
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The caller's id of the user, or the id that `by` says, percent-encoded: a slash in it is `%2F`. (An id of one or two dots cannot be sent by clients that normalize paths, as browsers and fetch do.)
                 * @example ada
                 */
                readonly user_id: components["parameters"]["UserId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of audiences. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UserAudiences"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoUser"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly listUserEvents: {
        readonly parameters: {
            readonly query: {
                /** @description What the id in the path is. */
                readonly by: components["parameters"]["By"];
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Only events of this name.
                 * @example Order Completed
                 */
                readonly event?: components["parameters"]["Event"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
                /**
                 * @description Only events whose `timestamp` is this time or later. Without an offset it is local time in the project's time zone; a date alone is its first instant there.
                 * @example 2026-11-01T00:00:00Z
                 */
                readonly since?: components["parameters"]["EventsSince"];
                /**
                 * @description Only events whose `timestamp` is before this time, read as `since` is. It is later than `since`.
                 * @example 2026-12-01
                 */
                readonly until?: components["parameters"]["EventsUntil"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The caller's id of the user, or the id that `by` says, percent-encoded: a slash in it is `%2F`. (An id of one or two dots cannot be sent by clients that normalize paths, as browsers and fetch do.)
                 * @example ada
                 */
                readonly user_id: components["parameters"]["UserId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of events. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EventPage"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoUser"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly exportUser: {
        readonly parameters: {
            readonly query: {
                /** @description What the id in the path is. */
                readonly by: components["parameters"]["By"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The caller's id of the user, or the id that `by` says, percent-encoded: a slash in it is `%2F`. (An id of one or two dots cannot be sent by clients that normalize paths, as browsers and fetch do.)
                 * @example ada
                 */
                readonly user_id: components["parameters"]["UserId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Lines, and a last one. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": components["schemas"]["UserExportLine"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoUser"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
    readonly getTraitHistory: {
        readonly parameters: {
            readonly query: {
                /** @description What the id in the path is. */
                readonly by: components["parameters"]["By"];
                /** @description The `next_cursor` of the page before. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description How many entries a page has at most. */
                readonly limit: components["parameters"]["Limit"];
            };
            readonly header?: {
                /**
                 * @description Names the request in the answer and in the service's logs. Anything else is replaced by an id of ours.
                 * @example req-42
                 */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                /**
                 * @description The trait's name, percent-encoded.
                 * @example plan
                 */
                readonly name: components["parameters"]["TraitName"];
                /**
                 * @description The caller's id of the user, or the id that `by` says, percent-encoded: a slash in it is `%2F`. (An id of one or two dots cannot be sent by clients that normalize paths, as browsers and fetch do.)
                 * @example ada
                 */
                readonly user_id: components["parameters"]["UserId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of values. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TraitHistory"];
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NoUser"];
            readonly 422: components["responses"]["QueryLimit"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Refused"];
        };
    };
}
