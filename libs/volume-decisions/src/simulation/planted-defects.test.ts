import type { Replica } from '@lateen/storage-types';
import { expect, it } from 'vitest';
import { decideEngine } from '../engine/decide-engine.ts';
import { decideReplica } from '../replica/decide-replica.ts';
import { decideVolume, volumeSteps } from '../volume/decide-volume.ts';
import { nameOf } from '../volume/replica-facts.ts';
import { fold } from '../volume/steps/fold.ts';
import type { VolumeEffect } from '../volume/volume-effect.ts';
import type { VolumeSeen } from '../volume/volume-seen.ts';
import { begun, type Step, settle, take } from './model-histories.ts';
import type { ModelRules } from './model-world.ts';

/*
 * These tests prove that the simulation can fail. Each defect is planted in the decisions, and the simulation must report it through
 * the matching rule, in a history that passes with the unchanged decisions.
 */

type EffectOf<D extends VolumeEffect['do']> = Extract<VolumeEffect, { do: D }>;

/** Returns decideVolume with its effects of one kind changed. */
const withEffects = <D extends VolumeEffect['do']>(
  of: D,
  change: (effect: EffectOf<D>, seen: VolumeSeen) => VolumeEffect,
): Partial<ModelRules> => ({
  decideVolume: (seen, nowMs) => {
    const decision = decideVolume(seen, nowMs);
    const effects = decision.effects.map((effect) => (effect.do === of ? change(effect as EffectOf<D>, seen) : effect));
    return { ...decision, effects };
  },
});

const withoutFailure = (replica: Replica): Replica => ({ ...replica, spec: { ...replica.spec, failedAt: '' } });

const failedAreTaken: Partial<ModelRules> = {
  decideVolume: (seen, nowMs) => {
    const isStarting = ['detached', 'attaching'].includes(seen.volume.status?.state ?? '');
    return decideVolume(isStarting ? { ...seen, replicas: seen.replicas.map(withoutFailure) } : seen, nowMs);
  },
  decideReplica: (seen, nowMs) => decideReplica({ ...seen, replica: withoutFailure(seen.replica) }, nowMs),
};

const failedBecomesInUse: Partial<ModelRules> = {
  decideEngine: (seen, nowMs) => {
    const decision = decideEngine(seen, nowMs);
    const told = seen.host.instances.find(({ engine }) => engine !== undefined)?.engine?.modes ?? {};
    const replicaModeMap = { ...decision.status.replicaModeMap };
    for (const name of Object.keys(replicaModeMap)) if (told[name] === 'RW') replicaModeMap[name] = 'RW';
    return { ...decision, status: { ...decision.status, replicaModeMap } };
  },
};

const killsAreNotNoted: Partial<ModelRules> = {
  decideReplica: (seen, nowMs) => {
    const decision = decideReplica(seen, nowMs);
    const effects = decision.effects.map((effect) =>
      effect.do === 'note-promise' ? { do: effect.do, generation: effect.generation } : effect,
    );
    return { ...decision, effects };
  },
};

const write: Step = (world) => world.write(false);
const writeThenRecorderDies: Step = (world) => world.write(true);
const killEngine: Step = (world) => world.killEngine();
const killFirstReplica: Step = (world) => world.killReplica(0);
const cut: Step = (world) => world.setNode('n3', 'cut');
const heal: Step = (world) => world.setNode('n3', 'up');
const passes = (count: number): Step[] => Array.from({ length: count }, () => (world) => world.passAll());
const leave: Step = (world) => world.want('');
const goTo =
  (node: string): Step =>
  (world) =>
    world.want(node);
const hearLate: Step = (world) => world.passEngine({ late: true });
const isBeingRebuilt: Step = (world) => {
  const { status, spec } = world.engine ?? {};
  const names = Object.keys(spec?.replicaAddressMap ?? {});
  if (!names.some((name) => status?.replicaModeMap?.[name] === 'WO')) throw new Error('nothing is being rebuilt');
};

const defects: [string, RegExp, readonly Step[], Partial<ModelRules>][] = [
  [
    'failures that only the engine has are not folded',
    /a failure is not folded/,
    [write, killFirstReplica, writeThenRecorderDies, killEngine],
    {
      decideVolume: (seen, nowMs) =>
        decideVolume(
          seen,
          nowMs,
          volumeSteps.filter((step) => step !== fold),
        ),
    },
  ],
  [
    'failed replicas are taken for a start',
    /has failed and is started/,
    [write, cut, write, ...passes(1), heal, leave, ...passes(8), goTo('n1')],
    failedAreTaken,
  ],
  [
    'a start forgets who has everything',
    /forgets that/,
    [write, leave, ...passes(8), goTo('n2')],
    withEffects('begin-start', (effect) => ({ ...effect, addresses: {} })),
  ],
  [
    'a start goes on to count one that was being rebuilt',
    /is called whole and lacks/,
    [write, cut, write, ...passes(1), heal, ...passes(8), isBeingRebuilt, write, killEngine],
    withEffects('begin-start', (effect, { engine }) => ({
      ...effect,
      addresses: { ...engine?.spec.replicaAddressMap },
    })),
  ],
  [
    'one that has failed is in use again because its host says so late',
    /is called whole and lacks/,
    [write, ...passes(1), cut, writeThenRecorderDies, hearLate, heal, killEngine],
    failedBecomesInUse,
  ],
  [
    'one that was killed is read from',
    /is started without/,
    [write, killFirstReplica, killEngine],
    withEffects('let-start', (effect, { replicas }) => {
      const first = replicas.map(nameOf).find((name) => name in effect.addresses);
      return effect.readPrimary === undefined || first === undefined ? effect : { ...effect, readPrimary: first };
    }),
  ],
  ['nobody notes that one was killed', /is started without/, [write, killFirstReplica, killEngine], killsAreNotNoted],
];

function live(steps: readonly Step[], rules: Partial<ModelRules>): void {
  const world = begun(rules);
  take(world, steps);
  settle(world);
}

it.each(defects)('reports the defect: %s', (_, rule, history, rules) => {
  expect(() => live(history, {})).not.toThrow();
  expect(() => live(history, rules)).toThrow(rule);
});
