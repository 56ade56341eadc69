import { type Clock, eachAtOnce, type Logger, type Random, retry } from '@lateen/kernel';
import { isAlreadyExists, type KubeApi, listAll, retryAfterMsOf, retryOnConflict } from '@lateen/kube';
import {
  engineImageName,
  engineImageType,
  longhornGroup,
  longhornVersion,
  type Setting,
  settingType,
} from '@lateen/storage-types';
import { defaultValueOf, missingSettings } from '@lateen/volume-decisions';

/** What a release contains. */
export interface Release {
  /** Image of engines, replicas and instance managers. */
  readonly image: string;
  /** Version of the manager. */
  readonly version: string;
}

export interface StartPorts {
  readonly kube: KubeApi;
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Settings that describe the release; the manager writes them, whoever has set them before. */
export const settingsOfRelease = ({ image, version }: Release): Readonly<Record<string, string>> => ({
  'default-engine-image': image,
  'default-instance-manager-image': image,
  'current-longhorn-version': version,
  'crd-api-version': `${longhornGroup}/${longhornVersion}`,
});

/** Objects written in parallel at the first start: there are more than a hundred settings. */
const writesAtOnce = 8;

const backoff = { firstMs: 500, maxMs: 30_000, factor: 2, jitter: 0.2 };

/**
 * Creates the missing Settings, with their defaults, and the EngineImage of the release. Existing objects stay as they are, unknown settings too;
 * only the settings of the release are overwritten. Managers of all nodes do this at the same time; an object that another manager has created first
 * is accepted. Retries until it is done, because nothing runs without it.
 * @throws the signal's reason on abort; the next start creates the rest
 */
export async function makeWhatIsMissing(ports: StartPorts, release: Release, signal: AbortSignal): Promise<void> {
  const { log } = ports;
  await retry(
    ports,
    {
      backoff,
      mayRetry: () => true,
      askedMs: retryAfterMsOf,
      onRetry: ({ error, waitMs }) =>
        log.warn(
          { err: error, retryInMs: waitMs },
          'settings and engine image could not all be made: is the API of longhorn.io installed?',
        ),
    },
    async () => {
      await makeSettings(ports, release, signal);
      await makeEngineImage(ports, release, signal);
    },
    signal,
  );
}

async function makeSettings(
  { kube, namespace, log }: StartPorts,
  release: Release,
  signal: AbortSignal,
): Promise<void> {
  const { items: stored } = await listAll(kube, settingType, { namespace, signal });
  const ofRelease = settingsOfRelease(release);
  const missing = missingSettings(stored);
  await eachAtOnce(missing, writesAtOnce, async (definition) => {
    const { name } = definition;
    const value = ofRelease[name] ?? defaultValueOf(definition);
    await unlessThere(kube.create(settingType, newSetting(name, namespace, value), { namespace, signal }));
  });
  for (const { metadata } of stored) {
    const name = metadata.name ?? '';
    const value = ofRelease[name];
    if (value === undefined) continue;
    await retryOnConflict(async () => {
      const setting = await kube.get(settingType, { namespace, name }, { signal });
      if (setting.value === value) return;
      log.info({ setting: name, before: setting.value, value }, 'a setting follows the release');
      await kube.update(settingType, { ...setting, value }, { signal });
    });
  }
  if (missing.length > 0) log.info({ made: missing.length }, 'settings were made with their defaults');
}

const apiVersion = `${longhornGroup}/${longhornVersion}`;

const newSetting = (name: string, namespace: string, value: string): Setting => ({
  apiVersion,
  kind: settingType.kind,
  metadata: { name, namespace },
  value,
});

async function makeEngineImage(
  { kube, namespace }: StartPorts,
  { image }: Release,
  signal: AbortSignal,
): Promise<void> {
  const metadata = { name: engineImageName(image), namespace };
  const made = kube.create(
    engineImageType,
    { apiVersion, kind: engineImageType.kind, metadata, spec: { image } },
    { namespace, signal },
  );
  await unlessThere(made);
}

async function unlessThere(made: Promise<unknown>): Promise<void> {
  try {
    await made;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
