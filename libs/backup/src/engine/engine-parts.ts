import type { ArchiveWriter } from '@lateen/archive';
import type { BackupOperation } from '@lateen/backup-store';
import type { ActionContext } from '@lateen/item-actions';
import { ApiCalls } from './collect/api-calls.ts';
import type { ListTypeParts } from './collect/list-type.ts';
import type { EnginePorts, EngineRequest } from './contract.ts';
import { AdditionalItems } from './items/additional-items.ts';
import { chooseTypes } from './items/choose-types.ts';
import { ItemBackup, type TakeData } from './items/item-backup.ts';
import { ItemRecord } from './items/item-record.ts';
import { archiveSink } from './items/item-sink.ts';
import type { ItemType } from './items/item-type.ts';
import { KnownTypes } from './items/known-types.ts';
import { podVolumeOptionsDefault } from './pod-volumes/pod-volume-options.ts';
import { PodVolumes } from './pod-volumes/pod-volumes.ts';
import { NativeVolumes } from './volumes/native-volumes.ts';
import { Volumes } from './volumes/volumes.ts';

/** The parts of one run of the engine. */
export interface EngineParts {
  ports: EnginePorts;
  request: EngineRequest;
  /** In the order in which they are listed. */
  types: readonly ItemType[];
  knownTypes: KnownTypes;
  calls: ApiCalls;
  lists: ListTypeParts;
  record: ItemRecord;
  items: ItemBackup;
  additional: AdditionalItems;
  context: ActionContext;
  volumes: Volumes;
  podVolumes: PodVolumes;
  native: NativeVolumes;
  operations: BackupOperation[];
}

export function engineParts(ports: EnginePorts, request: EngineRequest, archive: ArchiveWriter): EngineParts {
  const { kube, clock, random, log, limits, nativeSnapshots } = ports;
  const actions = { ...ports.actions, volumesInBlocks: nativeSnapshots !== undefined };
  const { backup, filters } = request;
  const record = new ItemRecord(clock, ports.onProgress);
  const calls = new ApiCalls(limits, clock);
  const knownTypes = new KnownTypes(request.types, actions, ports.discovery);
  const operations: BackupOperation[] = [];
  const { veleroNamespace } = ports;
  const policies = request.policies?.volumePolicies ?? [];
  const volumes = new Volumes({ spec: backup.spec, policies, filters });
  const options = request.podVolumes ?? podVolumeOptionsDefault;
  const podVolumes = new PodVolumes({ ports, backup, options, volumes, record });
  const movesData = backup.spec.snapshotMoveData === true;
  const native = new NativeVolumes({ snapshots: nativeSnapshots, clock, log, volumes, record, movesData });
  const context: ActionContext = {
    backup,
    kube,
    clock,
    random,
    log,
    runLog: log,
    veleroNamespace,
    volumes,
    noteVolume: volumes.noteVolume,
  };
  const items = new ItemBackup({
    filters,
    context,
    record,
    limits,
    sink: archiveSink(archive, record),
    effects: {
      addItems: (ids, how) => additional.add(ids, how),
      addOperation: (operation) => operations.push(operation),
    },
    onItem: (item) => volumes.noteItem(item),
    takerOf: takers({ podVolumes, native }),
  });
  const additional = new AdditionalItems({ kube, calls, log, record, items, types: knownTypes, limits });
  return {
    ports,
    request,
    types: chooseTypes(request.types, actions, { allVersions: request.allVersions ?? false }),
    knownTypes,
    calls,
    lists: {
      kube,
      calls,
      clock,
      random,
      limits,
      log,
      downGroups: new Map(),
      namespaces: filters.namespaces,
      // When a list covers more namespaces than are chosen, it is unknown how many of its objects count.
      onRemaining: ({ range }, objects) => {
        if (filters.allNamespaces || range.namespace !== undefined) record.expect(objects);
      },
    },
    record,
    items,
    additional,
    context,
    volumes,
    podVolumes,
    native,
    operations,
  };
}

/** The functions that back up the data of pods and of PersistentVolumes. */
function takers({ podVolumes, native }: Pick<EngineParts, 'podVolumes' | 'native'>) {
  const ofPod: TakeData = (item, trouble, signal) => podVolumes.take(item, trouble, signal);
  const ofVolume: TakeData = (item, _, signal) => native.take(item, signal);
  return ({ groupResource }: ItemType): TakeData | undefined => {
    if (groupResource === 'pods') return ofPod;
    return groupResource === 'persistentvolumes' && native.isOn ? ofVolume : undefined;
  };
}
