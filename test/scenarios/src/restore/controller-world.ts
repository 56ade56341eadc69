import {
  backupStorageLocationType,
  eventType,
  type Restore,
  type RestorePhase,
  type RestoreSpec,
  restoreType,
} from '@lateen/api-types';
import { type RestoreStore, restoreStore } from '@lateen/backup-store';
import type { RestoreItemAction } from '@lateen/item-actions';
import type { KubeApi } from '@lateen/kube';
import { informer, withSpecOr } from '@lateen/kube-runtime';
import { makeLogger } from '@lateen/logging';
import {
  type RestoreControllersOptions,
  type RestoreEngine,
  type RestoreSettings,
  restoreSettingsDefault,
  runRestoreControllers,
} from '@lateen/restore';
import { aConfigMap, aNamespace } from '@lateen/testing';
import { BackupWorld, type BackupWorldOptions, type Life, namespace } from '../backup/backup-world.ts';
import { discoveryOf } from '../backup/discovery-of.ts';

export const aRestore = (name: string, spec: RestoreSpec, parts: Partial<Restore['metadata']> = {}): Restore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { name, namespace, ...parts },
  spec,
});

export interface RestoreControllerWorldOptions extends BackupWorldOptions {
  /** Replaces the engine that restores objects. */
  engine: RestoreEngine;
  restores?: Partial<RestoreSettings>;
  restoreActions?: readonly RestoreItemAction[];
}

/** The controllers of restores and backups, on one cluster and one bucket in memory. */
export class RestoreControllerWorld extends BackupWorld {
  readonly restored: RestoreStore;
  readonly #phases = new Map<string, RestorePhase[]>();
  readonly #more: RestoreControllerWorldOptions;
  #processes = 0;

  constructor(options: RestoreControllerWorldOptions) {
    super({ objects: [aNamespace({ name: 'shop' }), aConfigMap({ name: 'settings', namespace: 'shop' })], ...options });
    this.#more = options;
    this.restored = restoreStore(this.bucket, '');
    this.cluster.onChange(({ object }) => {
      if (object.kind !== 'Restore') return;
      const { metadata, status } = object as unknown as Restore;
      const phases = this.#phases.get(metadata.name ?? '') ?? [];
      if (status?.phase !== undefined && status.phase !== phases.at(-1))
        this.#phases.set(metadata.name ?? '', [...phases, status.phase]);
    });
  }

  /** Starts another process that restores. @param kube the API server as the process sees it */
  startRestores(kube: KubeApi = this.cluster, more: Partial<RestoreControllersOptions> = {}): Life {
    const { clock, log } = this;
    const random = this.newRandom();
    this.#processes += 1;
    const watched = { api: kube, namespace, clock, random, log };
    const restores = informer({ ...watched, type: restoreType, transform: withSpecOr<Restore>(() => ({})) });
    const locations = informer({ ...watched, type: backupStorageLocationType });
    const options: RestoreControllersOptions = {
      kube,
      namespace,
      identity: `restorer-${this.#processes}`,
      clock,
      random,
      log,
      restores,
      locations,
      logTo: (write) => makeLogger({ level: 'info', format: 'text', destination: { write }, clock }),
      listAccountKey: async () => undefined,
      openStore: () => this.openStore(),
      ...this.native,
      settings: { ...restoreSettingsDefault, ...this.#more.restores },
      discovery: discoveryOf(this.cluster),
      exec: this.cluster.podExec,
      actions: this.#more.restoreActions ?? [],
      scratchDirectory: '/nonexistent',
      engine: this.#more.engine,
      ...more,
    };
    return this.live((signal) =>
      Promise.all([restores.run(signal), locations.run(signal), runRestoreControllers(options, signal)]),
    );
  }

  /** A completed backup of the namespace `shop`. */
  async backedUp(name = 'nightly'): Promise<void> {
    const life = this.start();
    await this.create(name, { includedNamespaces: ['shop'] });
    await this.until(name, 'Completed');
    await life.stop();
  }

  /** Creates a Restore and runs everything that can run without advancing the clock. */
  async createRestore(
    name: string,
    spec: RestoreSpec = { backupName: 'nightly' },
    annotations: Record<string, string> = {},
  ): Promise<void> {
    const restore = aRestore(name, spec);
    await this.cluster.create(restoreType, { ...restore, metadata: { ...restore.metadata, annotations } });
    await this.work();
  }

  restore(name: string): Restore | undefined {
    return this.cluster.find(restoreType, { namespace, name });
  }

  change(name: string, change: (restore: Restore) => void): void {
    this.cluster.change<Restore>(restoreType, { namespace, name }, change);
  }

  /** All phases of the restore that the API server has stored, in order. */
  restorePhases(name: string): readonly RestorePhase[] {
    return this.#phases.get(name) ?? [];
  }

  async untilRestore(name: string, ...phases: RestorePhase[]): Promise<Restore> {
    await this.untilTrue(() => phases.some((phase) => phase === this.restore(name)?.status?.phase));
    const restore = this.restore(name);
    if (restore === undefined) throw new Error(`there is no restore ${name}`);
    return restore;
  }

  /** Reasons and messages of the Events on a restore, oldest first. */
  restoreEvents(name: string): { reason: string; message: string; type: string }[] {
    return this.cluster
      .all(eventType)
      .filter(({ involvedObject }) => involvedObject.kind === 'Restore' && involvedObject.name === name)
      .map(({ reason = '', message = '', type = '' }) => ({ reason, message, type }));
  }

  /** Names of the files of a restore, sorted. */
  restoreFiles(name: string): string[] {
    const prefix = `restores/${name}/`;
    const keys = [...this.bucket.objects.keys()].filter((key) => key.startsWith(prefix));
    return keys.map((key) => key.slice(prefix.length)).sort();
  }
}
