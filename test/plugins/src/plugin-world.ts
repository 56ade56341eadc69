import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import { credentialFilesIn } from '@lateen/native-snapshots';
import { type PluginHost, type PluginHostOptions, pluginHost } from '@lateen/plugin-host';
import { type RecordingLog, recordingLog, seededRandom } from '@lateen/testing';

/** A host over a folder of programs, with real processes. */
export interface PluginWorld {
  host: PluginHost;
  /** Log of the server. */
  log: RecordingLog;
  /** Folder for files of a test; removed with the world. */
  folder: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** @param place puts programs into the folder, or names one to link into it */
export async function pluginWorld(
  place: string | ((plugins: string) => Promise<unknown>),
  options: Partial<PluginHostOptions> = {},
): Promise<PluginWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'plugins-'));
  const plugins = join(folder, 'plugins');
  await mkdir(plugins);
  if (typeof place === 'string') await symlink(place, join(plugins, basename(place)));
  else await place(plugins);
  const log = recordingLog();
  const host = pluginHost({
    directory: plugins,
    // The folder does not exist yet, as in a new pod.
    temporaryDirectory: join(folder, 'temporary'),
    credentialFiles: credentialFilesIn(join(folder, 'credentials')),
    builtIn: [],
    environment: process.env,
    veleroNamespace: 'velero',
    logLevel: 'debug',
    clock: systemClock,
    random: seededRandom(1),
    log,
    ...options,
  });
  await host.start(new AbortController().signal);
  return {
    host,
    log,
    folder,
    [Symbol.asyncDispose]: async () => {
      await host.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
