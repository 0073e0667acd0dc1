"""Partners' copies: a follower of the feed written from the contract, and the folder that the command `pull` keeps."""

import csv
import json
import os
from datetime import date, timedelta

from history import Difference

ALL_KINDS = 'asset,removed,sensors,impressions,origins,demographics,notes'
OUTSIDE_FEED = ('measured_from', 'measured_to')


def record(asset):
    """Returns a record without the fields that the feed does not report by themselves."""
    return {name: value for name, value in asset.items() if name not in OUTSIDE_FEED}


def months(first, last):
    month = first.replace(day=1)
    while month <= last:
        yield month, (month + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        month = (month + timedelta(days=31)).replace(day=1)


class Follower:
    """Applies the rows of /v1/partner/changes in order, and reads again what they name."""

    def __init__(self, service, key):
        self.service, self.key, self.cursor, self.resyncs = service, key, None, 0
        self.begin()

    def begin(self):
        self.cursor, self.copy = None, {}

    def follow(self, limit=7):
        while True:
            query = {'kinds': ALL_KINDS, 'limit': limit, 'cursor': self.cursor}
            status, body = self.service.get('/v1/partner/changes', self.key, **query)
            if status == 410:
                self.resyncs += 1
                self.begin()
                continue
            if status != 200:
                raise Difference(f'/changes: {status} {body.decode()}')
            page = json.loads(body)
            for row in page['data']:
                self.apply(row)
            self.cursor = page['pagination']['cursor']
            if not page['pagination']['has_more']:
                return

    def apply(self, row):
        asset, kind = row['asset_id'], row['kind']
        if kind == 'removed':
            self.copy.pop(asset, None)
            return
        mine = self.copy.setdefault(asset, {})
        first, last = row['from_date'], row['to_date']
        if kind in ('impressions', 'origins', 'demographics'):
            if first[:7] != last[:7]:
                raise Difference(f'a row of the feed is beyond a month: {row}')
            begin = date.fromisoformat(first).replace(day=1)
            end = (begin + timedelta(days=31)).replace(day=1) - timedelta(days=1)
            read_days(self.service, self.key, mine, asset, kind, first, last, str(begin), str(end))
        else:
            read_records(self.service, self.key, mine, asset, kind)

    def compare(self, first, last):
        """Compares the copy with all that the service has now."""
        actual = {}
        for asset in self.service.lines('/v1/partner/assets', self.key):
            mine = actual[asset['id']] = {}
            for kind in ('asset', 'sensors', 'notes'):
                read_records(self.service, self.key, mine, asset['id'], kind)
            for begin, end in months(first, last):
                for kind in ('impressions', 'origins', 'demographics'):
                    read_days(
                        self.service, self.key, mine, asset['id'], kind, str(begin), str(end), str(begin), str(end)
                    )
        for asset in sorted(actual.keys() | self.copy.keys()):
            mine, theirs = (
                {k: v for k, v in side.get(asset, {}).items() if v not in ([], None)} for side in (self.copy, actual)
            )
            if asset not in actual or asset not in self.copy:
                raise Difference(
                    f'copy of key {self.key}: {asset} is only in {"it" if asset in self.copy else "the service"}'
                )
            for part in sorted(mine.keys() | theirs.keys(), key=str):
                if mine.get(part) != theirs.get(part):
                    raise Difference(
                        f'copy of key {self.key}, {asset}: {part} is {mine.get(part)} instead of {theirs.get(part)}'
                    )


def read_days(service, key, mine, asset, kind, first, last, month, month_end):
    base = f'/v1/partner/assets/{asset}'
    if kind == 'impressions':
        for row in service.read(f'{base}/impressions/daily', key, from_date=first, to_date=last)['data']:
            mine['day', row['date']] = None if row['impressions'] is None else (row['impressions'], row['coverage'])
    elif kind == 'origins':
        mine['origins', month] = service.read(f'{base}/impressions/by-city', key, from_date=month, to_date=month_end)[
            'data'
        ]
    else:
        body = service.read(f'{base}/demographics', key, from_date=month, to_date=month_end)
        mine['demographics', month] = body['age_gender'] and {**body, 'from_date': None, 'to_date': None}


def read_records(service, key, mine, asset, kind):
    if kind == 'asset':
        mine['asset'] = record(service.read(f'/v1/partner/assets/{asset}', key))
    elif kind == 'sensors':
        mine['sensors'] = service.lines('/v1/partner/sensors', key, asset_ids=asset)
    else:
        mine['notes'] = service.lines(
            '/v1/partner/notes', key, asset_ids=asset, from_date='1970-01-01', to_date='2099-12-31'
        )


class Pulled:
    """The folder of `partner-metrics-pull`."""

    def __init__(self, folder, key):
        self.folder, self.key = folder, key

    def pull(self, service):
        address = f'http://127.0.0.1:{service.port}'
        args = ['pull', '--url', address, '--key-file', '-', '--to', self.folder, '--verify', '--json']
        return service.must(*args, stdin=service.keys[self.key]).json

    def table(self, name):
        path = os.path.join(self.folder, name)
        files = [path + '.csv'] if os.path.exists(path + '.csv') else []
        if os.path.isdir(path):
            files = [
                os.path.join(base, file) for base, _, names in os.walk(path) for file in names if file.endswith('.csv')
            ]
        rows = []
        for file in files:
            with open(file, newline='', encoding='utf-8') as lines:
                rows += csv.DictReader(lines)
        return rows

    def compare(self, service, first, last):
        """Compares all tables with the service; the numbers of impressions with those of the lists."""
        for name in ('assets', 'sensors', 'notes'):
            query = {'from_date': '1970-01-01', 'to_date': '2099-12-31'} if name == 'notes' else {}
            status, body = service.get(f'/v1/partner/{name}', self.key, output='csv', **query)
            if status != 200:
                raise Difference(f'{name}: {status} {body.decode()}')
            theirs = list(csv.DictReader(body.decode().splitlines()))
            renamed = {'from': 'from_date', 'to': 'to_date'} if name == 'notes' else {}
            theirs = [{renamed.get(k, k): v for k, v in row.items() if k not in OUTSIDE_FEED} for row in theirs]
            mine = [{k: v for k, v in row.items() if k not in OUTSIDE_FEED} for row in self.table(name)]
            # One column of JSON in a copy, a column for each system in the list: these assets have none.
            mine = [{k: v for k, v in row.items() if (k, v) != ('external_ids', '{}')} for row in mine]
            self.equal(name, mine, theirs)
        rows = service.lines('/v1/partner/impressions', self.key, from_date=str(first), to_date=str(last))
        self.equal(
            'impressions',
            [
                (r['asset_id'], r['date'], r['start'], int(r['impressions']), float(r['coverage']))
                for r in self.table('impressions')
            ],
            [
                (r['asset_id'], r['start'][:10], r['start'], r['impressions'], float(r['coverage']))
                for r in rows
                if r['impressions'] is not None
            ],
        )
        self.audience(service, first, last)

    def audience(self, service, first, last):
        origins, groups = [], []
        for asset in service.lines('/v1/partner/assets', self.key):
            base = f'/v1/partner/assets/{asset["id"]}'
            for begin, end in months(first, last):
                days = {'from_date': str(begin), 'to_date': str(end)}
                for row in service.read(f'{base}/impressions/by-city', self.key, **days)['data']:
                    origins.append(
                        (asset['id'], str(begin), row['country'], row['region'], row['city'], row['impressions'])
                    )
                for row in service.read(f'{base}/demographics', self.key, **days)['age_gender']:
                    if row['impressions']:
                        groups.append((asset['id'], str(begin), row['gender'], row['age_band'], row['impressions']))
        mine = [
            (r['asset_id'], r['month'], r['country'], r['region'], r['city'], int(r['impressions']))
            for r in self.table('origins')
        ]
        self.equal('origins', mine, origins)
        mine = [
            (r['asset_id'], r['month'], r['gender'], r['age_band'], int(r['impressions']))
            for r in self.table('demographics')
            if int(r['impressions'])
        ]
        self.equal('demographics', mine, groups)

    def equal(self, name, mine, theirs):
        mine, theirs = (sorted(json.dumps(row, sort_keys=True) for row in rows) for rows in (mine, theirs))
        if mine != theirs:
            surplus = [row for row in mine if row not in theirs][:3]
            lacking = [row for row in theirs if row not in mine][:3]
            raise Difference(f'pull, {name}: only in the copy {surplus}, only in the service {lacking}')
