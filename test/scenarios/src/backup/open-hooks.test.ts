import { annotations, backupType, podType } from '@lateen/api-types';
import { builtInActions } from '@lateen/item-actions';
import type { KubeApi, PodExec } from '@lateen/kube';
import { keyText, kubeError } from '@lateen/kube';
import { aConfigMap, aNamespace, aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type Mortality, mortalKube } from '../world/mortal-kube.ts';
import { type BackupWorld, type BackupWorldOptions, namespace } from './backup-world.ts';
import { backupWorlds } from './backup-worlds.ts';
import { gateAction } from './gate-action.ts';

/*
 * A controller that dies between the pre and the post hooks of a backup must not leave a database frozen: the next controller finds on the
 * Backup which pods have open hooks.
 */

const worlds = backupWorlds();

const hooks = {
  'pre.hook.backup.velero.io/command': '["freeze"]',
  'post.hook.backup.velero.io/command': '["thaw","SECRET-OF-THE-HOOK"]',
};
const database = (name: string, annotations: Record<string, string> = hooks) =>
  aPod({ name, namespace: 'shop', phase: 'Running', annotations });

const shop = [aNamespace({ name: 'shop' }), aConfigMap({ name: 'settings', namespace: 'shop' })];
const ofShop = { includedNamespaces: ['shop'] };

/** A process that can be killed: after that none of its calls is carried out. */
function aMortal(world: BackupWorld, onWrite: (body: string, write: () => Promise<unknown>) => Promise<unknown>) {
  const life: Mortality = { dead: false, writes: 0, die: () => {} };
  const lost = () => kubeError('KUBE_UNAVAILABLE', 'the process is dead');
  const mortal = mortalKube(world.cluster, life);
  const kube: KubeApi = {
    ...mortal,
    patch: async (...args) => (await onWrite(JSON.stringify(args[2]), () => mortal.patch(...args))) as never,
  };
  const exec: PodExec = {
    exec: async (...args) => {
      if (life.dead) throw lost();
      const end = await world.cluster.podExec.exec(...args);
      if (life.dead) throw lost();
      return end;
    },
  };
  return { life, lost, kube, exec };
}

/** One controller, whose `freeze` hook blocks until the test kills the controller. `told` has each command and its pod. */
function frozenWorld(pods: readonly ReturnType<typeof database>[], options: BackupWorldOptions = {}) {
  const world = worlds.empty({ objects: [...shop, ...pods], ...options });
  const frozen = new Set<string>();
  const told: string[] = [];
  const thawedIn: unknown[] = [];
  world.cluster.podExec.play(({ pod, command: [program = ''] }) => {
    told.push(`${program} ${pod.name}`);
    if (program === 'freeze') frozen.add(keyText(pod));
    if (program !== 'thaw') return program === 'fail' ? 1 : 0;
    frozen.delete(keyText(pod));
    thawedIn.push(world.phase('b'));
    return 0;
  });
  const gate = gateAction();
  const held = { ...gate.action, appliesTo: { includedResources: ['pods'] } };
  const actions = { ...builtInActions({ csi: false }), backup: [held] };
  const start = () => {
    const { life, kube, exec } = aMortal(world, (_, write) => write());
    const first = world.start(kube, { exec, actions });
    return async () => {
      life.dead = true;
      await first.stop();
    };
  };
  return { world, frozen, told, start, gate, actions, thawedIn };
}

const opened = (world: BackupWorld, name = 'b') => world.backup(name)?.metadata.annotations?.[annotations.openHooks];

/** A backup whose controller was killed while all its pods were frozen. */
async function killedWhileFrozen(...pods: ReturnType<typeof database>[]) {
  const made = frozenWorld(pods);
  const kill = made.start();
  await made.world.create('b', ofShop);
  expect(made.gate.held()).toEqual(['b']);
  await kill();
  expect([made.world.phase('b'), made.frozen.size]).toEqual(['InProgress', pods.length]);
  return made;
}

describe('the next controller, after one was killed while pods were frozen', () => {
  it('runs the post hooks once in each pod, reports it, and ends the backup', async () => {
    const { world, told, frozen, thawedIn } = await killedWhileFrozen(database('db'), database('queue'));
    expect(opened(world)).toMatch(/^\[\{"namespace":"shop","name":"(db|queue)","uid":"[^"]+"\},\{.*\}\]$/);
    world.start();
    const { metadata } = await world.until('b', 'Failed');
    expect(told.toSorted()).toEqual(['freeze db', 'freeze queue', 'thaw db', 'thaw queue']);
    expect(frozen.size).toBe(0);
    expect(metadata.annotations?.[annotations.openHooks]).toBeUndefined();
    expect(thawedIn).toEqual(['InProgress', 'InProgress']);
    const { message, type } = world.events('b').find(({ reason }) => reason === 'OpenHooks') ?? {};
    expect(type).toBe('Warning');
    expect(message).toMatch(/post hooks were now run in shop\/(db, shop\/queue|queue, shop\/db)$/);
    expect(JSON.stringify(world.backup('b'))).not.toContain('SECRET-OF-THE-HOOK');
  });

  it('runs them before it cancels the backup', async () => {
    const { world, told, thawedIn } = await killedWhileFrozen(database('db'));
    await world.cluster.patch(
      backupType,
      { namespace, name: 'b' },
      { type: 'merge', body: { spec: { cancel: true } } },
    );
    world.start();
    const { metadata } = await world.until('b', 'Canceled');
    expect([told, thawedIn]).toEqual([['freeze db', 'thaw db'], ['Canceling']]);
    expect(metadata.annotations?.[annotations.openHooks]).toBeUndefined();
  });

  it('runs them before it lets a deleted backup go', async () => {
    const { world, told } = await killedWhileFrozen(database('db'));
    await world.cluster.delete(backupType, { namespace, name: 'b' });
    world.start();
    await world.untilTrue(() => world.backup('b') === undefined);
    expect(told).toEqual(['freeze db', 'thaw db']);
  });

  it('runs them while the store of the backup is not reachable', async () => {
    const { world, frozen } = await killedWhileFrozen(database('db'));
    world.store.add({ fault: { fail: new Error('no route to host') } });
    world.start();
    await world.until('b', 'Failed');
    expect(frozen.size).toBe(0);
  });

  it('skips pods that are gone, and other pods of the same name', async () => {
    const { world, told } = await killedWhileFrozen(database('gone'), database('db'), database('other'));
    world.cluster.remove(podType, { namespace: 'shop', name: 'gone' });
    world.cluster.remove(podType, { namespace: 'shop', name: 'other' });
    const other = database('other');
    world.cluster.put({ ...other, metadata: { ...other.metadata, uid: 'of-another' } });
    world.start();
    await world.until('b', 'Failed');
    expect(told.filter((line) => line.startsWith('thaw'))).toEqual(['thaw db']);
    const { message = '' } = world.events('b').find(({ reason }) => reason === 'OpenHooks') ?? {};
    expect(message).toMatch(
      /now run in shop\/db; pods that no longer exist: shop\/(gone, shop\/other|other, shop\/gone)$/,
    );
  });

  it('ends the backup whatever the hooks return, and reports it', async () => {
    const { world } = await killedWhileFrozen(database('db'));
    world.cluster.change(podType, { namespace: 'shop', name: 'db' }, ({ metadata }) => {
      metadata.annotations = { 'post.hook.backup.velero.io/command': '["fail"]' };
    });
    world.start();
    await world.until('b', 'Failed');
    const { message } = world.events('b').find(({ reason }) => reason === 'OpenHooks') ?? {};
    expect(message).toContain('1 hook failed, see the log of the controller');
  });

  it('retries a pod that it could not read, and no other', async () => {
    const { world, told } = await killedWhileFrozen(database('db'), database('queue'));
    let away = 2;
    world.cluster.intercept(async ({ verb, type, key }, next) => {
      if (verb === 'get' && type.resource === 'pods' && key.name === 'db' && away-- > 0)
        throw kubeError('KUBE_UNAVAILABLE', 'etcd is being moved');
      return await next();
    });
    world.start();
    await world.until('b', 'Failed');
    expect(told.filter((line) => line.startsWith('thaw'))).toEqual(['thaw queue', 'thaw db']);
  });

  it('ends the backup without a pod that it may not read', async () => {
    const { world } = await killedWhileFrozen(database('db'));
    world.cluster.failTimes(100, 'get', podType, 'KUBE_FORBIDDEN');
    world.start();
    await world.until('b', 'Failed');
    const { message } = world.events('b').find(({ reason }) => reason === 'OpenHooks') ?? {};
    expect(message).toContain('pods that cannot be read, check them for frozen file systems: shop/db');
  });

  it('waits for a backup of its own that has the pod frozen', async () => {
    const { world, told, gate, actions } = await killedWhileFrozen(database('db'));
    // The first backup is found when the second has already frozen the pod.
    const key = { namespace, name: 'b' };
    const abandoned = world.backup('b');
    world.cluster.change(backupType, key, (now) => {
      now.status = { ...now.status, phase: 'Completed' };
    });
    world.start(world.cluster, { actions });
    await world.create('second', ofShop);
    expect(gate.held()).toEqual(['second']);
    world.cluster.change(backupType, key, (now) => {
      now.status = { ...abandoned?.status };
    });
    await world.work();
    expect(told).toEqual(['freeze db', 'freeze db']);
    gate.open();
    await world.until('b', 'Failed');
    expect(told).toEqual(['freeze db', 'freeze db', 'thaw db', 'thaw db']);
  });
});

describe('a controller that is not killed', () => {
  async function whileFrozen() {
    const made = frozenWorld([database('db')]);
    const life = made.world.start(made.world.cluster, { actions: made.actions });
    await made.world.create('b', ofShop);
    expect([made.gate.held(), opened(made.world) === undefined]).toEqual([['b'], false]);
    return { ...made, life };
  }
  const toldOfOpenHooks = (world: BackupWorld) => world.events('b').some(({ reason }) => reason === 'OpenHooks');

  it('runs the post hooks of a backup that is cancelled, once', async () => {
    const { world, told } = await whileFrozen();
    await world.cluster.patch(
      backupType,
      { namespace, name: 'b' },
      { type: 'merge', body: { spec: { cancel: true } } },
    );
    await world.until('b', 'Canceled');
    expect([told, toldOfOpenHooks(world)]).toEqual([['freeze db', 'thaw db'], false]);
  });

  it('runs the post hooks of a backup that is deleted, once', async () => {
    const { world, told } = await whileFrozen();
    await world.cluster.delete(backupType, { namespace, name: 'b' });
    await world.untilTrue(() => world.backup('b') === undefined);
    expect([told, toldOfOpenHooks(world)]).toEqual([['freeze db', 'thaw db'], false]);
  });

  it('leaves no hook open when it is stopped', async () => {
    const { world, told, life } = await whileFrozen();
    await life.stop();
    expect([told, opened(world)]).toEqual([['freeze db', 'thaw db'], undefined]);
    world.start();
    await world.until('b', 'Failed');
    expect([told.length, toldOfOpenHooks(world)]).toEqual([2, false]);
  });
});

describe('a record of open hooks that cannot be written', () => {
  const noRecord = (world: BackupWorld) =>
    world.cluster.intercept(async ({ verb, body }, next) => {
      if (verb === 'patch' && JSON.stringify(body).includes(annotations.openHooks))
        throw kubeError('KUBE_UNAVAILABLE', 'etcd has no leader');
      return await next();
    });

  it('prevents hooks that would not be recorded; the pod fails as with a failed hook', async () => {
    const onFail = { ...hooks, 'pre.hook.backup.velero.io/on-error': 'Fail' };
    const world = worlds.empty({ objects: [...shop, database('db', onFail), database('queue')] });
    noRecord(world);
    world.start();
    await world.create('b', ofShop);
    const { status } = await world.until('b', 'PartiallyFailed', 'Completed', 'Failed');
    expect(status).toMatchObject({ phase: 'PartiallyFailed', hookStatus: { hooksAttempted: 2, hooksFailed: 2 } });
    expect(world.cluster.podExec.lines).toEqual([]);
    expect(await world.stored.archived('b')).toEqual([
      'configmaps/shop/settings',
      'namespaces/shop',
      'pods/shop/queue',
    ]);
    const { errors } = await world.stored.files.getResults('b');
    expect(JSON.stringify(errors)).toContain(
      'the pod could not be recorded in an annotation of the Backup: etcd has no leader',
    );
  });

  it('does not prevent hooks of a pod that has only pre or only post hooks', async () => {
    const only = (phase: 'pre' | 'post') => ({ [`${phase}.hook.backup.velero.io/command`]: `["${phase}"]` });
    const world = worlds.empty({ objects: [...shop, database('db', only('pre')), database('queue', only('post'))] });
    noRecord(world);
    world.start();
    await world.create('b', ofShop);
    await world.until('b', 'Completed');
    expect(world.cluster.podExec.commands.map(({ command }) => command[0]).toSorted()).toEqual(['post', 'pre']);
  });
});

it('a backup without pairs of hooks writes no record', async () => {
  const world = worlds.running({
    objects: [...shop, database('web', {}), database('db', { 'pre.hook.backup.velero.io/command': '["sync"]' })],
  });
  await world.create('b', ofShop);
  await world.until('b', 'Completed');
  const bodies = world.cluster.calls.filter(({ verb }) => verb === 'patch').map(({ body }) => JSON.stringify(body));
  expect(bodies.filter((body) => body.includes(annotations.openHooks))).toEqual([]);
});

it('a record that could not be removed after the hooks is removed at the end of the run', async () => {
  const world = worlds.empty({ objects: [...shop, database('db')] });
  let writes = 0;
  world.cluster.intercept(async ({ verb, body }, next) => {
    const isRecord = verb === 'patch' && JSON.stringify(body).includes(annotations.openHooks);
    if (isRecord && writes++ === 1) throw kubeError('KUBE_UNAVAILABLE', 'etcd has no leader');
    return await next();
  });
  world.start();
  await world.create('b', ofShop);
  await world.until('b', 'Completed');
  expect([writes, world.cluster.podExec.commands.length]).toEqual([3, 2]);
  expect(opened(world)).toBeUndefined();
});

describe('a controller that dies at a write of the record', () => {
  /** The first write records the open hooks, the second removes the record. */
  it.each([0, 1].flatMap((at) => (['before', 'after'] as const).map((when) => ({ at, when }))))(
    'leaves no pod frozen (write $at, $when)',
    async ({ at, when }) => {
      const { world, frozen, told } = frozenWorld([database('db')]);
      let writes = 0;
      const { life, lost, kube, exec } = aMortal(world, async (body, write) => {
        if (!body.includes(annotations.openHooks) || writes++ !== at) return await write();
        if (when === 'before') life.dead = true;
        await write();
        life.dead = true;
        throw lost();
      });
      const first = world.start(kube, { exec });
      await world.create('b', ofShop);
      await first.stop();
      expect(life.dead).toBe(true);
      world.start();
      const { metadata } = await world.until('b', 'Failed');
      expect(frozen.size).toBe(0);
      expect(metadata.annotations?.[annotations.openHooks]).toBeUndefined();
      // No hook runs before it is recorded; a post hook may run twice, but never not at all.
      const expected = {
        before: [[], ['freeze db', 'thaw db', 'thaw db']],
        after: [['thaw db'], ['freeze db', 'thaw db']],
      };
      expect(told).toEqual(expected[when][at]);
    },
  );

  /** Every other write of a whole backup, Events included. */
  it.each(
    Array.from({ length: 12 }, (_, atWrite) =>
      (['before', 'after'] as const).map((when) => ({ atWrite, when })),
    ).flat(),
  )('or at any other leaves no pod frozen (write $atWrite, $when)', async (death) => {
    const { world, frozen } = frozenWorld([database('db'), database('queue')]);
    const { life, kube, exec } = aMortal(world, (_, write) => write());
    Object.assign(life, { death, die: () => Object.assign(life, { dead: true }) });
    const first = world.start(kube, { exec });
    await world.create('b', ofShop);
    await world.work();
    await first.stop();
    world.start();
    const { metadata } = await world.until('b', 'Completed', 'Failed');
    expect(frozen.size).toBe(0);
    expect(metadata.annotations?.[annotations.openHooks]).toBeUndefined();
  });

  it('while it runs the hooks for another, leaves them to the next controller', async () => {
    const { world, told } = await killedWhileFrozen(database('db'));
    const { life, kube, exec } = aMortal(world, async (body, write) => {
      if (body.includes(annotations.openHooks)) life.dead = true;
      return await write();
    });
    const second = world.start(kube, { exec });
    await world.untilTrue(() => life.dead);
    await second.stop();
    expect([world.phase('b'), opened(world) === undefined]).toEqual(['InProgress', false]);
    world.start();
    await world.until('b', 'Failed');
    expect(told).toEqual(['freeze db', 'thaw db', 'thaw db']);
  });
});
