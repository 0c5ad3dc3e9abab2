"""Makes calls with the SDK of the module named in the first argument: see SdkProcess."""

import importlib
import json
import sys
from datetime import datetime

MEMBERS = {"userId": "user_id", "anonymousId": "anonymous_id", "groupId": "group_id", "previousId": "previous_id"}

program, url, write_key = sys.argv[1:]
analytics = importlib.import_module(program).connect(url, write_key)

for line in sys.stdin:
    for call in json.loads(line):
        method = getattr(analytics, call.pop("type"))
        call["timestamp"] = datetime.fromisoformat(call["timestamp"].replace("Z", "+00:00"))
        method(**{MEMBERS.get(name, name): value for name, value in call.items()})
    analytics.flush()
    print("@done", flush=True)
