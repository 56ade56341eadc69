import { annotations, type Backup, backupType } from '@lateen/api-types';
import { FakeClock, fakeCluster, letWorkRun, recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { OpenHookRecord, openHookLimits } from './open-hook-record.ts';
import { type OpenPod, openPodsOf } from './open-pod.ts';

const key = { namespace: 'velero', name: 'b' };
const never = new AbortController().signal;

const pod = (name: string): OpenPod => ({ namespace: 'shop', name, uid: `uid-of-${name}` });

/** The record of one run, on a Backup in an in-memory API server. */
function aRecord() {
  const clock = new FakeClock();
  const log = recordingLog();
  const running: Backup = {
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: { ...key, annotations: { [annotations.workedOnBy]: 'us/1', theirs: 'kept' } },
    spec: {},
    status: { phase: 'InProgress' },
  };
  const cluster = fakeCluster({ clock, objects: [running] });
  const backup = () => cluster.find(backupType, key) as Backup;
  const record = new OpenHookRecord({ kube: cluster, clock, log }, backup());
  return {
    clock,
    cluster,
    log,
    record,
    backup,
    change: (act: (backup: Backup) => void) => cluster.change(backupType, key, act),
    named: () => openPodsOf(backup()).map(({ name }) => name),
    writes: () => cluster.calls.filter(({ verb }) => verb === 'patch').length,
  };
}

describe('the record of open hooks', () => {
  it('lists the pods with open hooks on the Backup, and is removed with the last of them', async () => {
    const { record, backup, named } = aRecord();
    await record.open([pod('a'), pod('b')], never);
    expect(backup().metadata.annotations?.[annotations.openHooks]).toBe(
      '[{"namespace":"shop","name":"a","uid":"uid-of-a"},{"namespace":"shop","name":"b","uid":"uid-of-b"}]',
    );
    await record.close([pod('a')]);
    expect(named()).toEqual(['b']);
    await record.close([pod('b')]);
    expect(Object.keys(backup().metadata.annotations ?? {})).toEqual([annotations.workedOnBy, 'theirs']);
  });

  it('combines changes of concurrent blocks into few writes', async () => {
    const { record, named, writes } = aRecord();
    const pods = Array.from({ length: 20 }, (_, at) => pod(`p${at}`));
    await Promise.all(pods.map((each) => record.open([each], never)));
    expect(named().sort()).toEqual(pods.map(({ name }) => name).sort());
    expect(writes()).toBe(1);
    await Promise.all([record.open([pod('late')], never), ...pods.map((each) => record.close([each]))]);
    expect(named()).toEqual(['late']);
    expect(writes()).toBe(2);
  });

  it('resolves only after the pod is written, even when another write is running', async () => {
    const { record, cluster, named } = aRecord();
    const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    cluster.intercept(async ({ verb }, next) => {
      if (verb === 'patch') {
        held.resolve();
        await go.promise;
      }
      return await next();
    });
    const first = record.open([pod('a')], never);
    await held.promise;
    let isOpen = false;
    const second = record.open([pod('b')], never).then(() => {
      isOpen = true;
    });
    await letWorkRun();
    expect(isOpen).toBe(false);
    go.resolve();
    await Promise.all([first, second]);
    expect(named()).toEqual(['a', 'b']);
  });

  it('is not lost when others write to the Backup', async () => {
    const { record, change, cluster, named, backup } = aRecord();
    let rivals = 0;
    cluster.intercept(async ({ verb }, next) => {
      if (verb === 'patch' && rivals < 3) {
        rivals++;
        change((now) => {
          now.status = { ...now.status, progress: { itemsBackedUp: rivals } };
        });
      }
      return await next();
    });
    await record.open([pod('a')], never);
    expect(named()).toEqual(['a']);
    expect(backup().status?.progress?.itemsBackedUp).toBe(3);
  });

  it('rejects while the API server is unavailable, and does not list that pod afterwards', async () => {
    const { record, cluster, named, log } = aRecord();
    await record.open([pod('a')], never);
    const heal = cluster.intercept(async () => {
      throw new Error('no route to host');
    });
    await expect(record.open([pod('b')], never)).rejects.toThrow('no route to host');
    await record.close([pod('b')]);
    expect(log.lines.map(({ message }) => message)).toEqual([
      'ended hooks cannot be removed from the annotation of their backup',
    ]);
    heal();
    await record.open([pod('c')], never);
    expect(named()).toEqual(['a', 'c']);
  });

  it('gives up a write that gets no response', async () => {
    const { record, cluster, clock } = aRecord();
    cluster.intercept(({ verb }, next) => (verb === 'patch' ? new Promise(() => {}) : next()));
    const opening = record.open([pod('a')], never);
    const refused = expect(opening).rejects.toThrow();
    await letWorkRun();
    await clock.advance(openHookLimits.writeMs);
    await refused;
  });

  it.each<[string, (backup: Backup) => void]>([
    ['is being cancelled', (now) => Object.assign(now.spec, { cancel: true })],
    ['was taken over', (now) => Object.assign(now.metadata.annotations ?? {}, { [annotations.workedOnBy]: 'them/1' })],
    ['has ended', (now) => Object.assign(now.status ?? {}, { phase: 'Failed' })],
  ])('does not open hooks on a Backup that %s', async (_, act) => {
    const { record, change, named } = aRecord();
    change(act);
    await expect(record.open([pod('a')], never)).rejects.toThrow('Backup b ');
    expect(named()).toEqual([]);
  });

  it('is removed from a Backup that is being cancelled, but not from one that another process took over', async () => {
    const { record, change, named } = aRecord();
    await record.open([pod('a'), pod('b')], never);
    change((now) => Object.assign(now.spec, { cancel: true }));
    await record.close([pod('a')]);
    expect(named()).toEqual(['b']);
    change((now) => Object.assign(now.status ?? {}, { phase: 'Canceling' }));
    await record.close([pod('b')]);
    expect(named()).toEqual(['b']);
  });
});

describe('the limit of the record', () => {
  const many = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, at) => pod(`${prefix}-${at}`.padEnd(200, 'x')));

  it('makes a block wait until another one has closed', async () => {
    const { record, named } = aRecord();
    const [first, second] = [many(200, 'first'), many(200, 'second')];
    await record.open(first, never);
    let isOpen = false;
    const waiting = record.open(second, never).then(() => {
      isOpen = true;
    });
    await letWorkRun();
    expect(isOpen).toBe(false);
    await record.close(first);
    await waiting;
    expect(named()).toEqual(second.map(({ name }) => name));
  });

  it('rejects a block that exceeds it alone', async () => {
    const { record, writes } = aRecord();
    await expect(record.open(many(400, 'p'), never)).rejects.toThrow(
      '400 pods with hooks in one item block are too many',
    );
    expect(writes()).toBe(0);
  });

  it('releases a waiting block that is aborted', async () => {
    const { record, named } = aRecord();
    const stop = new AbortController();
    const first = many(200, 'first');
    await record.open(first, never);
    const waiting = record.open(many(200, 'second'), stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await record.close(first);
    expect(named()).toEqual([]);
  });
});

it('reads an invalid annotation as no pods', () => {
  const noted = (text: string): Backup => ({
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: { ...key, annotations: { [annotations.openHooks]: text } },
    spec: {},
  });
  for (const text of ['', '{', '7', 'null', '{"name":"a"}', '[null,1,{"namespace":"shop","name":"a"}]'])
    expect([text, openPodsOf(noted(text))]).toEqual([text, []]);
});
