"""What an agent should do, as dictionaries: slow, plain, and written a second time."""

from rbmle import LinUCB


class DictionaryAgent:
    """Decisions and rewards by id. `learnt` has (context, value) of what was learnt, in order."""

    def __init__(self, wait=None, default=None, aggregate="first", immediate=False, most=10**9, age=1e9):
        self.wait, self.default, self.aggregate, self.immediate = wait, default, aggregate, immediate
        self.most, self.age = most, age
        self.decisions, self.learnt, self.retired, self.accepted = {}, [], set(), 0

    @property
    def open(self):
        return {name: each for name, each in self.decisions.items() if not each["closed"]}

    def decide(self, name, question, x, arm, now, shown):
        self.close_due(now, room_for=1)
        patience = self.age if self.wait is None else self.wait
        self.decisions[name] = {
            "question": question, "arm": arm, "x": x, "deadline": now + patience, "shown": shown,
            "rewards": [], "closed": False,
        }  # fmt: skip

    def close_due(self, now, room_for=0):
        due = sorted((each["deadline"], name) for name, each in self.open.items() if each["deadline"] <= now)
        for _, name in due:
            self.close(name, default_applies=self.wait is not None)
        while len(self.open) + room_for > self.most:
            self.close(next(iter(self.open)), default_applies=False)

    def close(self, name, default_applies):
        each = self.decisions[name]
        each["closed"] = True
        values = [value for value, _ in each["rewards"]]
        if values:
            value = {"first": values[0], "last": values[-1], "sum": sum(values), "max": max(values)}[self.aggregate]
        elif default_applies and each["shown"] and self.default is not None:
            value = self.default
        else:
            return
        self.learnt.append((each["x"], value))

    def reward(self, name, value, reward_id, now):
        self.close_due(now)
        each = self.decisions.get(name)
        if each is None:
            return "unknown"
        told = self.told_before(each["rewards"], value, reward_id)
        if told is not None:
            return told
        if each["closed"]:
            return "late"
        each["rewards"].append((value, reward_id))
        each["shown"] = True
        self.accepted += 1
        if self.wait is None or self.immediate:
            self.close(name, default_applies=False)
        return "accepted"

    def told_before(self, rewards, value, reward_id):
        if self.aggregate == "first" and rewards:
            return "duplicate" if rewards[0][0] == value else "conflict"
        for old, old_id in rewards:
            if reward_id is not None and old_id == reward_id:
                return "duplicate" if old == value else "conflict"
        if reward_id is None and self.aggregate == "max" and value in [old for old, _ in rewards]:
            return "duplicate"
        if reward_id is None and self.aggregate == "last" and rewards and rewards[-1][0] == value:
            return "duplicate"
        return None

    def activate(self, name, now):
        each = self.decisions.get(name)
        if each is None:
            return "unknown"
        if each["closed"]:
            return "late"
        if each["shown"]:
            return "duplicate"
        each["shown"], each["deadline"] = True, now + (self.age if self.wait is None else self.wait)
        return "accepted"

    def policy(self, d):
        policy = LinUCB(n_features=d)
        for x, value in self.learnt:
            policy.update(x, value)
        return policy
