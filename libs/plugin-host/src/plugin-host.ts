import { AppError } from '@lateen/errors';
import type { Clock, Logger, LogLevel, Random } from '@lateen/kernel';
import { type CredentialFiles, noSnapshotter, type SnapshotterSource } from '@lateen/native-snapshots';
import type { ObjectStore } from '@lateen/object-store';
import { fullPluginName, type PluginKind } from '@lateen/plugin-protocol';
import { ConfiguredPlugin, type ConfiguredPluginOptions } from './adapters/configured-plugin.ts';
import { objectStoreService, pluginObjectStore } from './adapters/object-store.ts';
import { type PluginStoreLocation, toldLocation } from './adapters/store-location.ts';
import { pluginVolumeSnapshotter } from './adapters/volume-snapshotter.ts';
import type { PluginCall, PluginCaller } from './calls/plugin-call.ts';
import { endIdleProcesses, RunProcesses } from './calls/run-processes.ts';
import { Supervisor, type SupervisorOptions } from './calls/supervisor.ts';
import { discoverPlugins } from './discover/discover-plugins.ts';
import type { PluginProblem, ProgramFile } from './discover/find-programs.ts';
import type { PluginOffer } from './discover/plugin-offer.ts';
import type { BuiltInPlugin } from './discover/register-offers.ts';
import { type PluginLimits, pluginLimitsDefault } from './limits.ts';
import { type PluginActions, pluginActions } from './plugin-actions.ts';
import { removeLeftFolders } from './process/left-folders.ts';
import { startPluginProcess } from './process/plugin-process.ts';
import { type EnvironmentOptions, programEnvironment } from './process/program-environment.ts';

export interface PluginHostOptions extends EnvironmentOptions {
  /** Folder with the programs: `/plugins`. A missing folder counts as empty. */
  directory: string;
  /** Each process gets a folder in it for its socket and its temporary files. Created when it does not exist. */
  temporaryDirectory: string;
  /** Where the credentials of an object store's location are written. */
  credentialFiles: CredentialFiles;
  /** Plugins that are part of the product; a program never replaces them. */
  builtIn: readonly BuiltInPlugin[];
  /** The server's log level, which is passed to programs. */
  logLevel: LogLevel;
  /** Names of enabled features, which are passed to programs. */
  features?: readonly string[];
  /** Memory of one process; no limit when absent. */
  memoryBytesMax?: number | undefined;
  limits?: Partial<PluginLimits>;
  clock: Clock;
  random: Random;
  /** The server's log. */
  log: Logger;
}

/** The plugin programs of a server. `start` has to be called first. */
export interface PluginHost extends SnapshotterSource {
  /** Asks every program for its plugins. Rejects only with the signal's reason: unusable plugins are in `problems` and in the log. */
  start(signal: AbortSignal): Promise<void>;
  /** The plugins in use, as a ServerStatusRequest shows them. */
  list(): readonly { name: string; kind: PluginKind }[];
  /** The unusable plugins, with the reasons. */
  problems(): readonly PluginProblem[];
  actions(): PluginActions;
  /**
   * The bucket of a location whose provider is a plugin. `close` of the store ends its processes and removes the file with its credentials.
   * @throws NO_OBJECT_STORE when no plugin offers the provider; the plugin's error about the config
   */
  objectStore(location: PluginStoreLocation, signal: AbortSignal): Promise<ObjectStore>;
  /** Ends idle processes, until the signal aborts; then calls `close`. */
  run(signal: AbortSignal): Promise<void>;
  /** Ends all processes; running calls reject. */
  close(): Promise<void>;
}

/** Starts nothing before `start`. */
export function pluginHost(options: PluginHostOptions): PluginHost {
  const limits = { ...pluginLimitsDefault, ...options.limits };
  const { clock, log } = options;
  const processes = hostProcesses(options, limits);
  let found: { plugins: readonly PluginOffer[]; problems: readonly PluginProblem[] } = { plugins: [], problems: [] };
  let actions: PluginActions = pluginActions([], processes.callerOf, log);
  const offered = (kind: PluginKind, provider: string) =>
    found.plugins.find((offer) => offer.kind === kind && offer.name === fullPluginName(provider));
  return {
    start: async (signal) => {
      await removeLeftFolders(options.temporaryDirectory, limits.startMs, clock);
      const start = (program: ProgramFile, stop: AbortSignal) => processes.start(program, log, stop);
      found = await discoverPlugins({ ...options, limits, start }, signal);
      actions = pluginActions(found.plugins, processes.callerOf, log);
    },
    list: () => found.plugins.map(({ name, kind }) => ({ name, kind })),
    problems: () => found.problems,
    actions: () => actions,
    snapshotterFor: async (provider) => {
      const offer = offered('VolumeSnapshotter', provider);
      if (offer === undefined) throw noSnapshotter(provider);
      return pluginVolumeSnapshotter(processes.own(offer));
    },
    objectStore: async (location, signal) => {
      const offer = offered('ObjectStore', location.plugin);
      if (offer === undefined) throw noObjectStore(location.plugin);
      return await openStore(location, processes.own(offer), options.credentialFiles, signal);
    },
    run: async (signal) => {
      await endIdleProcesses(processes.programs, { clock, ...limits }, signal);
      await processes.close();
    },
    close: processes.close,
  };
}

/** All processes of a host: those of runs, by program, and those of single users of a plugin. */
function hostProcesses(options: PluginHostOptions, limits: PluginLimits) {
  const { clock, random, log } = options;
  const start = processStarter(options, limits);
  const programs = new Map<string, RunProcesses>();
  const configured = new Set<Supervisor>();
  const supervise = (program: ProgramFile, runLog: Logger, more: Partial<SupervisorOptions>) => {
    const startOne = (signal: AbortSignal) => start(program, runLog, signal);
    return new Supervisor({ program: program.name, start: startOne, clock, random, log: runLog, limits, ...more });
  };
  return {
    start,
    programs,
    callerOf: ({ program, parallelCalls = limits.actionCallsInFlightMax }: PluginOffer): PluginCaller => {
      const ofActions = { limits: { ...limits, callsInFlightMax: parallelCalls } };
      const runs = programs.get(program.path) ?? new RunProcesses((scope) => supervise(program, scope.log, ofActions));
      programs.set(program.path, runs);
      return {
        call: (scope, call, signal) => runs.of(scope).call(call, signal),
        endRun: (run) => runs.end(run),
      };
    },
    own: ({ program, name: plugin }: PluginOffer) => ({
      plugin,
      supervise: (prepare: PluginCall<unknown>) => {
        const made = supervise(program, log, { prepare });
        configured.add(made);
        return made;
      },
      closed: (supervisor: Supervisor) => void configured.delete(supervisor),
    }),
    close: async () => {
      const runs = [...programs.values()].map((processes) => processes.endAll());
      await Promise.all([...runs, ...[...configured].map((supervisor) => supervisor.stop())]);
    },
  };
}

function processStarter(options: PluginHostOptions, limits: PluginLimits) {
  const { clock, temporaryDirectory, memoryBytesMax, logLevel, features = [] } = options;
  const env = programEnvironment(options);
  const args = [
    // logrus' name of the level.
    `--log-level=${logLevel === 'warn' ? 'warning' : logLevel}`,
    ...(features.length === 0 ? [] : [`--features=${features.join(',')}`]),
  ];
  return (program: ProgramFile, log: Logger, signal: AbortSignal) =>
    startPluginProcess({ program, args, env, limits, memoryBytesMax, temporaryDirectory, clock, log }, signal);
}

async function openStore(
  location: PluginStoreLocation,
  own: Omit<ConfiguredPluginOptions, 'init'>,
  credentialFiles: CredentialFiles,
  signal: AbortSignal,
): Promise<ObjectStore> {
  const { plugin } = own;
  const told = await toldLocation(location, credentialFiles);
  const configured = new ConfiguredPlugin({
    ...own,
    init: (process, config, call) => objectStoreService(process).init({ plugin, config }, call),
  });
  const store = pluginObjectStore({ plugin, bucket: location.bucket, configured });
  const close = async () => {
    await store.close();
    await told[Symbol.asyncDispose]();
  };
  try {
    await configured.init(told.config, signal);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...store, close };
}

const noObjectStore = (provider: string): AppError =>
  new AppError('NO_OBJECT_STORE', `no plugin offers provider ${provider}`, {
    nextStep:
      'Add a plugin that has an ObjectStore of that name with `lateen plugin add IMAGE`, or correct spec.provider of the BackupStorageLocation; `lateen plugin get` lists what there is.',
  });
