import { silentLogger, systemClock } from '@lateen/kernel';
import { layerOf, pathDown } from '../record/layer-tree.ts';
import type { ReplicaIdentity } from '../record/record-create.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import { type ReplicaStore, replicaStore } from '../store/replica-store.ts';
import { type DeathPlan, dyingPorts } from './dying.ts';
import { modelBlocks } from './model-blocks.ts';
import { modelFiles } from './model-files.ts';
import { type ModelMachine, readUnit } from './model-machine.ts';

export const modelIdentity: ReplicaIdentity = { volume: 'pvc-1', volumeUid: 'uid-1', replica: 'pvc-1-r-1' };
export const modelDirectory = '/disk/replicas/pvc-1';

export interface ModelStore {
  readonly store: ReplicaStore;
  arm(plan: DeathPlan | undefined): void;
}

/** A store on a model machine; with a plan set, a call of it fails. */
export function modelStore(machine: ModelMachine, identity = modelIdentity): ModelStore {
  const { ports, arm } = dyingPorts({ files: modelFiles(machine), blocks: modelBlocks(machine) });
  const store = replicaStore({ directory: modelDirectory, identity, ...ports, clock: systemClock, log: silentLogger });
  return { store, arm };
}

/** The content of a layer through all layers below it, as the images have it. */
export function viewOf(machine: ModelMachine, record: ReplicaRecord, id: number): readonly number[] {
  const chain = pathDown(record, id).map(({ file }) => machine.image(file));
  return Array.from({ length: Number(layerOf(record, id).sizeBytes) / 4096 }, (_, unit) => readUnit(chain, unit));
}
