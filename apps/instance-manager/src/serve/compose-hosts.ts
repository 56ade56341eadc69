import { mkdir, realpath } from 'node:fs/promises';
import { productVersion } from '@lateen/api-types';
import { type Call, type HostInfo, hostApi, type Instance, type InstanceHost } from '@lateen/block-engine';
import { chooseFrontend, type FrontendKind } from '@lateen/block-frontend';
import { connectInstanceHostUnix } from '@lateen/instance-api';
import { InstanceBoard, type KeeperState, type ProcessKeeper, type WantedProcess } from '@lateen/instance-host';
import { systemClock as clock, type Logger, systemRandom as random } from '@lateen/kernel';
import { nodeFiles as files, type Host, hostCommands } from '@lateen/volume';
import { parseChildNote } from '../children/child-note.ts';
import type { ChildPorts } from '../children/child-ports.ts';
import type { Environment, ServeConfig } from '../config/serve-config.ts';
import { DiskHost } from '../disks/disk-host.ts';
import { type HostPaths, hostPaths } from '../disks/host-paths.ts';
import { engineConfigOf, engineExport } from '../engines/engine-config.ts';
import { EngineHost } from '../engines/engine-host.ts';
import { VolumeFiles } from '../file-systems/volume-files.ts';
import { deviceLinks } from '../frontends/device-link.ts';
import { ensureDeviceMark } from '../frontends/device-mark.ts';
import { FrontendHost } from '../frontends/frontend-host.ts';
import { parseFrontendNote } from '../frontends/frontend-note.ts';
import { keptProcesses } from '../frontends/kept-processes.ts';
import { instanceNotes } from '../notes/instance-notes.ts';
import { ownProgram } from '../own-program.ts';
import type { Places } from '../places.ts';
import { hostProbes } from '../probes/host-probes.ts';
import { replicaProcessId } from '../replicas/replica-entry.ts';
import { ReplicaHost } from '../replicas/replica-host.ts';
import { SnapshotReaders } from '../replicas/snapshot-readers.ts';
import { transferConfigOf } from '../transfers/transfer-config.ts';
import { TransferProcesses } from '../transfers/transfer-processes.ts';
import { replicaPortsOf } from './compose-replicas.ts';
import { serveHost } from './serve-host.ts';

export interface HostsOptions {
  config: ServeConfig;
  environment: Environment;
  places: Places;
  /** Absolute paths. */
  programs: { qemuStorageDaemon: string; qemuImg: string; nbdfuse: string; nbdClient: string | undefined };
  qsdVersion: string;
  keeper: ProcessKeeper;
  log: Logger;
  stopping: AbortSignal;
}

/** All hosts of a node, built from their parts. */
export interface Hosts {
  readonly host: InstanceHost;
  readonly replicas: ReplicaHost;
  /** The instances that the board shows now. */
  instances(): readonly Instance[];
  answers(process: WantedProcess): boolean;
  noticed(state: KeeperState): void;
  /** Takes over running processes. */
  adopt(signal: AbortSignal): Promise<void>;
  /** Reads the state that has no events. */
  look(): Promise<void>;
  close(): Promise<void>;
}

export async function composeHosts(o: HostsOptions): Promise<Hosts> {
  const { config, environment, log, stopping } = o;
  const machine: Host = { run: hostCommands({ clock, environment }), files, log, clock };
  const paths = hostPaths(config.hostRoot);
  await makeDataPath(config, paths);
  const board = new InstanceBoard(clock);
  const disks = new DiskHost({ host: machine, paths, random });
  const replicas = new ReplicaHost(replicaPortsOf({ ...o, board, paths, disks }));
  const readers = new SnapshotReaders(replicas);
  const { kind, frontends } = await composeFrontends(o, machine, board);
  const engines = new EngineHost({ ...childPorts(o, 'engine'), board, command: engineCommand(o, kind) }, stopping);
  const transfers = new TransferProcesses(
    { ...childPorts(o, 'transfer'), board, command: transferCommand(o) },
    stopping,
  );
  const info = async (call: Call): Promise<HostInfo> => ({
    apiMin: hostApi.min,
    apiMax: hostApi.max,
    version: productVersion,
    node: config.node,
    qsdVersion: o.qsdVersion,
    frontends: [kind === 'nbdfuse' ? 'nbdfuse' : 'nbd'],
    probes: await hostProbes({ hostRoot: config.hostRoot, programs: neededOnNode, path: environment.PATH ?? '' }),
    disks: await disks.all(call),
  });
  const volumeFiles = new VolumeFiles({ host: machine, frontends, path: environment.PATH ?? '' });
  void readers.run(stopping);
  return {
    host: serveHost({
      info,
      board,
      replicas,
      readers,
      engines,
      transfers,
      frontends,
      disks,
      paths,
      files: volumeFiles,
    }),
    replicas,
    instances: () => board.all(),
    answers: ({ id, kind }) =>
      kind !== 'replica' ||
      replicas.all().some(({ is, line }) => replicaProcessId(is.name) === id && line.connected !== undefined),
    noticed: (state) => {
      frontends.noticed(state);
      void replicas.noticed(state, stopping);
      void engines.noticed(state, stopping);
      void transfers.noticed(state, stopping);
    },
    adopt: async (signal) => {
      await Promise.all([replicas.adopt(signal), engines.adopt(signal), transfers.adopt(signal)]);
      await frontends.adopt(signal);
    },
    look: async () => {
      for (const entry of replicas.all()) {
        if (entry.state !== 'running') continue;
        await entry.refresh({ signal: stopping });
        if (replicas.find(entry.is.name) === entry) entry.retell();
      }
    },
    close: () => replicas.close(),
  };
}

async function composeFrontends(
  { config, places, programs, keeper, log }: HostsOptions,
  host: Host,
  board: InstanceBoard,
): Promise<{ kind: FrontendKind; frontends: FrontendHost }> {
  const { nbdfuse, nbdClient } = programs;
  const chosen = await chooseFrontend({
    host,
    processes: keptProcesses(keeper),
    // The resolved path: /var/run is a link in most images, and mounts are found by their real path.
    directory: await realpath(places.fronts),
    mark: await ensureDeviceMark(files, places.deviceMark, random),
    programs: { nbdfuse, ...(nbdClient === undefined ? {} : { nbdClient }) },
  });
  const links = deviceLinks(config.deviceDirectory);
  const notes = instanceNotes({ directory: places.instances, kind: 'frontend', files, parse: parseFrontendNote, log });
  const frontends = new FrontendHost({ ...chosen, links, notes, board, exportName: engineExport, clock, random, log });
  return { kind: chosen.kind, frontends };
}

/** By the names with which the calling programs use them. */
const neededOnNode = ['losetup', 'umount', 'mount', 'fusermount3', 'fsfreeze', 'fstrim', 'perl', 'setpriv', 'stat'];

async function makeDataPath({ defaultDataPath }: ServeConfig, paths: HostPaths): Promise<void> {
  if (defaultDataPath === undefined) return;
  await mkdir(paths.here(defaultDataPath, '--default-data-path'), { recursive: true, mode: 0o755 });
}

/** For instances with a process of their own. */
const childPorts = (
  { places, keeper, log }: HostsOptions,
  kind: 'engine' | 'transfer',
): Omit<ChildPorts, 'board' | 'command'> => ({
  ...{ keeper, places, files, clock, random, log },
  notes: instanceNotes({ directory: places.instances, kind, files, parse: parseChildNote, log }),
  connect: (socketPath) => connectInstanceHostUnix(`unix://${socketPath}`, { clock }),
});

function engineCommand({ config, places }: HostsOptions, kind: FrontendKind): ChildPorts['command'] {
  return async ({ name, volume }) => {
    const { directory, configPath, socketPath } = places.engine(name);
    const hasReserve = kind === 'nbdfuse';
    const told = engineConfigOf(config, { engine: name, volume, socketPath, directory, hasReserve });
    await files.writeDurably(configPath, `${JSON.stringify(told)}\n`);
    return [...ownProgram(), 'engine', `--config=${configPath}`];
  };
}

function transferCommand({ config, places }: HostsOptions): ChildPorts['command'] {
  return async ({ name: transfer, volume }) => {
    const { configPath } = places.transfer(transfer);
    await files.writeDurably(configPath, `${JSON.stringify(transferConfigOf(config, { transfer, volume }))}\n`);
    return [...ownProgram(), 'transfer', `--config=${configPath}`];
  };
}
