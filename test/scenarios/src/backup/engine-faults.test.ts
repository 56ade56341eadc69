import { type KubeObject, namespaceType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type BackupItemAction, builtInActions } from '@lateen/item-actions';
import { kubeError } from '@lateen/kube';
import {
  type ApiCall,
  aConfigMap,
  aNamespace,
  aPersistentVolumeClaim,
  aPod,
  aSecret,
  letTimePass,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { engineWorld } from './engine-world.ts';

const maps = (count: number, namespace = 'shop') =>
  Array.from({ length: count }, (_, at) => aConfigMap({ name: `c${String(at).padStart(3, '0')}`, namespace }));
const names = (count: number) => maps(count).map(({ metadata }) => `shop/${metadata.name}`);
const isListOf = (call: ApiCall, resource: string) => call.verb === 'list' && call.type.resource === resource;
const pageOf = (call: ApiCall) => call.options as { limit: number; continue?: string; bytesMax?: number };

const pages = { limits: { pageItems: 10 } };

describe('a list', () => {
  it('that expires continues after its last object, with each object once', async () => {
    const world = engineWorld({ objects: maps(45), ...pages });
    let asked = 0;
    world.cluster.intercept(async (call, next) => {
      if (isListOf(call, 'configmaps') && [3, 4].includes(++asked)) {
        world.cluster.put(aConfigMap({ name: `late${asked}`, namespace: 'shop' }));
        world.cluster.compact();
      }
      return next();
    });
    const { resourceList } = await world.run();
    expect(resourceList['v1/ConfigMap']?.filter((name) => !name.includes('late'))).toEqual(names(45));
    expect([...world.lines('warn'), ...world.lines('error')]).toEqual([]);
  });

  it('that expires without a continue token starts again, with each object once', async () => {
    const world = engineWorld({ objects: maps(45), ...pages });
    let asked = 0;
    world.cluster.intercept(async (call, next) => {
      if (isListOf(call, 'configmaps') && ++asked === 4) throw kubeError('KUBE_GONE', 'too old');
      return next();
    });
    const { resourceList, outcome } = await world.run();
    expect(resourceList['v1/ConfigMap']).toEqual(names(45));
    expect(outcome.itemsBackedUp).toBe(45 + world.cluster.all(namespaceType).length);
  });

  it('that expires repeatedly is given up, keeps what it has read, and names the last object', async () => {
    const world = engineWorld({ objects: maps(45), ...pages });
    world.cluster.intercept(async (call, next) => {
      if (isListOf(call, 'configmaps') && pageOf(call).continue !== undefined) throw kubeError('KUBE_GONE', 'too old');
      return next();
    });
    const { resourceList } = await world.run();
    expect(resourceList['v1/ConfigMap']).toEqual(names(10));
    expect(world.lines('error')).toEqual([
      'configmaps: Error listing items: the objects after shop/c009 are not in the backup',
    ]);
  });

  it('with an object that cannot be converted has all objects before it, and reports the error', async () => {
    const world = engineWorld({ objects: [...maps(25), aSecret({ name: 's', namespace: 'shop' })], ...pages });
    const broken = 'c017';
    world.cluster.intercept(async (call, next) => {
      const answer = (await next()) as { items?: KubeObject[] };
      const isBroken = isListOf(call, 'configmaps') && answer.items?.some(({ metadata }) => metadata.name === broken);
      if (isBroken) throw kubeError('KUBE_SERVER_ERROR', 'conversion webhook for example.com/v1 failed');
      return answer;
    });
    const { resourceList } = await letTimePass(world.run(), world.clock);
    expect(resourceList['v1/ConfigMap']).toEqual(names(17));
    expect(resourceList['v1/Secret']).toEqual(['shop/s']);
    expect(world.lines('error')).toEqual([
      'configmaps shop: Error listing items: the objects after shop/c016 are not in the backup',
    ]);
  });

  it('with an object that cannot be converted continues with the next namespaces', async () => {
    const objects = ['a', 'b', 'b-c', 'c', 'd'].flatMap((namespace) => maps(4, namespace));
    const world = engineWorld({ objects, limits: { pageItems: 3 } });
    const broken = ['b/c002', 'c/c000'];
    world.cluster.intercept(async (call, next) => {
      const answer = (await next()) as { items?: KubeObject[] };
      const isBroken = ({ metadata: { namespace, name } }: KubeObject) => broken.includes(`${namespace}/${name}`);
      if (isListOf(call, 'configmaps') && answer.items?.some(isBroken))
        throw kubeError('KUBE_SERVER_ERROR', 'conversion webhook for example.com/v1 failed');
      return answer;
    });
    const { resourceList } = await letTimePass(world.run(), world.clock);
    const all = (namespace: string) => ['c000', 'c001', 'c002', 'c003'].map((name) => `${namespace}/${name}`);
    expect(resourceList['v1/ConfigMap']).toEqual([...all('a'), 'b/c000', 'b/c001', ...all('b-c'), ...all('d')].sort());
    expect(world.lines('error')).toEqual([
      'configmaps b: Error listing items: the objects after b/c001 are not in the backup',
      'configmaps c: Error listing items: none of these objects are in the backup',
    ]);
  });

  it('in which no object can be converted stops with one error, instead of one for each namespace', async () => {
    const objects = Array.from({ length: 20 }, (_, at) => aConfigMap({ name: 'c', namespace: `n${at}` }));
    const world = engineWorld({ objects });
    let asked = 0;
    world.cluster.intercept(async (call, next) => {
      if (!isListOf(call, 'configmaps')) return next();
      asked++;
      throw kubeError('KUBE_SERVER_ERROR', 'conversion webhook for example.com/v1 failed');
    });
    await letTimePass(world.run(), world.clock);
    expect(world.lines('error').at(-1)).toBe(
      'configmaps: Error listing items: none of these objects are in the backup',
    );
    expect(world.lines('error')).toHaveLength(3);
    expect(asked).toBeLessThan(30);
  });

  it('that fails temporarily is retried', async () => {
    const world = engineWorld({ objects: maps(3) });
    world.cluster.failOnce('list', (call) => call.type.resource === 'configmaps', 'KUBE_SERVER_ERROR');
    world.cluster.failTimes(3, 'list', (call) => call.type.resource === 'secrets', 'KUBE_TOO_MANY_REQUESTS');
    const { resourceList } = await letTimePass(world.run(), world.clock);
    expect(resourceList['v1/ConfigMap']).toEqual(names(3));
    expect(world.lines('error')).toEqual([]);
  });

  it('whose page is too large for one answer is read in smaller pages', async () => {
    const world = engineWorld({ objects: maps(30), ...pages });
    const limits: number[] = [];
    world.cluster.intercept(async (call, next) => {
      if (!isListOf(call, 'configmaps')) return next();
      limits.push(pageOf(call).limit);
      if (pageOf(call).limit > 2) throw kubeError('KUBE_BAD_ANSWER', 'the answer is longer than may be');
      return next();
    });
    const { resourceList } = await world.run();
    expect(resourceList['v1/ConfigMap']).toEqual(names(30));
    expect(limits.slice(0, 3)).toEqual([10, 2, 4]);
  });

  it('of large objects is read in smaller pages', async () => {
    const large = maps(40).map((map) => ({ ...map, data: { text: 'x'.repeat(1_000) } }));
    const world = engineWorld({ objects: large, limits: { pageItems: 10, pageBytes: 5_000 } });
    const limits: number[] = [];
    world.cluster.intercept(async (call, next) => {
      if (isListOf(call, 'configmaps')) limits.push(pageOf(call).limit);
      return next();
    });
    await world.run();
    expect(limits.slice(0, 3)).toEqual([10, 10, 4]);
    expect(Math.max(...limits.slice(2))).toBe(4);
  });

  it('of 500 Secrets of 1 MiB is read in pages that fit into memory', async () => {
    const MiB = 1024 * 1024;
    const value = 'x'.repeat(MiB);
    const nameOf = (at: number) => `s${String(at).padStart(3, '0')}`;
    const stored = Array.from({ length: 500 }, (_, at) => aSecret({ name: nameOf(at), namespace: 'shop' }));
    const world = engineWorld({ objects: stored });
    // The server in memory would hold all of them: each object gets its size when it is sent.
    const pages: { limit: number; bytes: number; isRefused: boolean }[] = [];
    world.cluster.intercept(async (call, next) => {
      if (!isListOf(call, 'secrets')) return await next();
      const { limit, bytesMax = Number.POSITIVE_INFINITY } = pageOf(call);
      const answer = (await next()) as { items: { data?: Record<string, string> }[] };
      const bytes = answer.items.length * MiB;
      const isRefused = bytes > bytesMax;
      // The bytes that a client has read when it refuses the page.
      pages.push({ limit, bytes: Math.min(bytes, bytesMax), isRefused });
      if (isRefused) throw kubeError('KUBE_BAD_ANSWER', 'the answer is longer than may be');
      return { ...answer, items: answer.items.map((item) => ({ ...item, data: { value } })) };
    });
    const { resourceList } = await world.run();
    expect(resourceList['v1/Secret']).toEqual(stored.map(({ metadata }) => `shop/${metadata.name}`));
    expect(world.lines('error')).toEqual([]);
    expect(Math.max(...pages.map(({ bytes }) => bytes))).toBeLessThanOrEqual(8 * MiB);
    expect(pages.slice(0, 4).map(({ limit }) => limit)).toEqual([500, 100, 20, 4]);
    const refused = pages.filter(({ isRefused }) => isRefused).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(refused).toBeLessThanOrEqual(32 * MiB);
  });

  it('returns an object that is larger than a page may be', async () => {
    const large = aConfigMap({ name: 'large', namespace: 'shop', data: { text: 'x'.repeat(20_000) } });
    const world = engineWorld({ objects: [...maps(3), large], limits: { pageBytes: 4_000, answerBytesMax: 8_000 } });
    const { resourceList } = await world.run();
    expect(resourceList['v1/ConfigMap']).toEqual([...names(3), 'shop/large']);
    expect(world.lines('error')).toEqual([]);
  });

  it('of a group whose server is down is an error for each of its resources, and the other groups are stored', async () => {
    const gear = (kind: string) => ({
      apiVersion: 'down.example/v1',
      kind,
      metadata: { name: 'x', namespace: 'shop' },
    });
    const world = engineWorld({ objects: [...maps(2), gear('Gear'), gear('Wheel')], limits: { listsMax: 2 } });
    let asked = 0;
    world.cluster.intercept(async (call, next) => {
      if (call.type.group !== 'down.example') return next();
      asked++;
      throw kubeError('KUBE_UNAVAILABLE', 'the server is currently unable to handle the request', { httpStatus: 503 });
    });
    const { resourceList } = await world.run();
    expect(world.lines('error')).toEqual([
      'gears.down.example: Error listing items: none of these objects are in the backup',
      'wheels.down.example: Error listing items: none of these objects are in the backup',
    ]);
    expect(asked).toBe(1);
    expect(resourceList['v1/ConfigMap']).toEqual(names(2));
  });

  it('of a group that discovery misses because its server is down is an error, except for metrics groups', async () => {
    const service = (group: string, status: string) => ({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1.${group}` },
      spec: { group, version: 'v1', service: { name: 's', namespace: 'n' } },
      status: { conditions: [{ type: 'Available', status, message: 'no endpoints' }] },
    });
    const objects = [
      ...maps(1),
      service('down.example', 'False'),
      service('up.example', 'True'),
      service('metrics.k8s.io', 'False'),
    ];
    const run = async (spec: object) => {
      const world = engineWorld({ objects });
      await world.run(spec);
      return world.lines('error');
    };
    expect(await run({})).toEqual(['down.example: API group is not available: none of its objects are in the backup']);
    expect(await run({ includedResources: ['configmaps'] })).toEqual([]);
  });

  it('of a resource that is no longer served is a warning', async () => {
    const gear = { apiVersion: 'gone.example/v1', kind: 'Gear', metadata: { name: 'x', namespace: 'shop' } };
    const world = engineWorld({ objects: [gear] });
    world.cluster.failOnce('list', (call) => call.type.group === 'gone.example', 'KUBE_NOT_FOUND');
    await world.run();
    expect([world.lines('error'), world.lines('warn').length]).toEqual([[], 1]);
  });

  it('that hangs is given up at its timeout', async () => {
    const world = engineWorld({ objects: maps(2) });
    world.cluster.intercept((call, next) => (isListOf(call, 'secrets') ? new Promise(() => {}) : next()));
    const { resourceList } = await letTimePass(world.run(), world.clock);
    expect(resourceList['v1/ConfigMap']).toEqual(names(2));
    expect(world.lines('error')).toEqual(['secrets: Error listing items: none of these objects are in the backup']);
  });

  it('runs with less concurrency when the API server is slow', async () => {
    const objects = Array.from({ length: 40 }, (_, at) => ({
      apiVersion: 'many.example/v1',
      kind: `Kind${at}`,
      metadata: { name: 'x', namespace: 'shop' },
    }));
    const world = engineWorld({ objects, limits: { listsMax: 32, callsMin: 2, callsMax: 16 } });
    let now = 0;
    const most: number[] = [];
    world.cluster.intercept(async (call, next) => {
      if (call.type.group !== 'many.example') return next();
      most.push(++now);
      await world.clock.sleep(5_000);
      now--;
      return next();
    });
    await letTimePass(world.run(), world.clock);
    expect(Math.max(...most)).toBeGreaterThanOrEqual(8);
    expect(Math.max(...most.slice(-8))).toBeLessThanOrEqual(4);
  });
});

describe('a backup that is aborted', () => {
  const hooks = {
    'pre.hook.backup.velero.io/command': '["freeze"]',
    'post.hook.backup.velero.io/command': '["thaw"]',
  };
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const objects = [
    aNamespace({ name: 'shop' }),
    ...maps(50),
    aPod({ name: 'db', namespace: 'shop', phase: 'Running', annotations: hooks, spec: { volumes } }),
    aPersistentVolumeClaim({ name: 'data', namespace: 'shop' }),
  ];
  const { block } = builtInActions({ csi: false });

  it('rejects with the cause when its archive cannot be stored, and leaves nothing running', async () => {
    const full = new AppError('OBJECT_STORE_FORBIDDEN', 'the bucket is full');
    let ended = 0;
    const ending: BackupItemAction = {
      name: 'test/ending',
      appliesTo: { includedResources: ['nothing'] },
      execute: async (item) => ({ item }),
      endItems: async () => {
        ended++;
      },
    };
    const world = engineWorld({
      objects,
      actions: { backup: [ending], block },
      store: {
        writeArchive: async () => {
          throw full;
        },
      },
    });
    await expect(world.run()).rejects.toBe(full);
    expect(ended).toBe(1);
  });

  it('leaves no pod frozen and no archive, whichever API call it is aborted at', async () => {
    const whole = engineWorld({ objects, ...pages, actions: { backup: [], block } });
    await whole.run();
    const calls = whole.cluster.calls.length;
    expect(calls).toBeGreaterThan(10);
    for (let at = 1; at <= calls; at += 3) {
      const world = engineWorld({
        objects,
        ...pages,
        actions: { backup: [], block },
      });
      const cancelled = new AbortController();
      let made = 0;
      world.cluster.intercept(async (_, next) => {
        if (++made === at) cancelled.abort(new Error('cancelled'));
        return next();
      });
      await expect(world.run({}, cancelled.signal)).rejects.toThrow('cancelled');
      const commands = world.cluster.podExec.commands.map(({ command }) => command[0]);
      expect(commands.filter((command) => command === 'thaw')).toHaveLength(
        commands.filter((command) => command === 'freeze').length,
      );
    }
  });

  it('thaws the pod when an action is waiting inside the block', async () => {
    const cancelled = new AbortController();
    const waiting: BackupItemAction = {
      name: 'test/waiting',
      appliesTo: { includedResources: ['persistentvolumeclaims'] },
      execute: async (item, { clock }, signal) => {
        cancelled.abort(new Error('cancelled'));
        await clock.sleep(1_000, signal);
        return { item };
      },
    };
    const world = engineWorld({ objects, actions: { backup: [waiting], block } });
    await expect(world.run({}, cancelled.signal)).rejects.toThrow('cancelled');
    expect(world.cluster.podExec.commands.map(({ command }) => command[0])).toEqual(['freeze', 'thaw']);
  });
});
