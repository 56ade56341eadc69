import type { DownloadRequest } from '@lateen/datapath';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';
import type { SnapshotManifest } from '../snapshot-manifest.ts';
import { type Applied, applyAttributes } from './apply-attributes.ts';
import type { AttributeSource } from './attribute-source.ts';
import { wantsAttributes } from './attributes-wanted.ts';
import { unpackInline } from './inline-manifest.ts';
import { restoreAttributes } from './restore-attributes.ts';

/** The attribute manifest of a restore that has started. */
export interface PreparedAttributes {
  /** Resolves when the manifest is found, or known to be missing. @throws as `source.find` */
  found(): Promise<void>;
  /** Call when the tree is restored. @throws as `source.find` and `restoreAttributes` */
  apply(): Promise<void>;
  /** Stops what still runs; call it in any case. */
  release(): Promise<void>;
}

type AttributeOptions = Pick<KopiaUploaderOptions, 'programs' | 'log'>;

const nothing: PreparedAttributes = { found: async () => {}, apply: async () => {}, release: async () => {} };

const lost =
  'hard links, extended attributes, ACLs, file capabilities, FIFOs, devices, names that are not UTF-8, the times of folders and times of links below a microsecond';

/**
 * Looks for the attribute manifest of a snapshot while the tree is being restored, so that this takes no extra time. A missing
 * manifest does not stop a restore, because the data is complete and the user needs it; the log and a warning of the movement
 * report it (docs/adr/0009-attribute-manifest.md). A manifest in a tag is read at once.
 * @throws ATTRIBUTES_INVALID, ATTRIBUTES_VERSION for what is in a tag, before the volume is touched
 */
export function prepareAttributes(
  options: AttributeOptions,
  request: DownloadRequest,
  { attributesInline, attributesKey: key }: Pick<SnapshotManifest, 'attributesInline' | 'attributesKey'>,
  source: AttributeSource,
): PreparedAttributes {
  const { programs, log } = options;
  const { volumePath, snapshotID } = request;
  if (!wantsAttributes(request.config)) {
    log.info({ snapshotID }, 'AttributeManifest is "false": attributes are not given back');
    return nothing;
  }
  if (attributesInline !== undefined) return inTag(options, request, unpackInline(attributesInline));
  if (key === undefined) {
    log.info({ snapshotID }, `the snapshot has no attribute manifest; not given back if the source had them: ${lost}`);
    return nothing;
  }
  const over = new AbortController();
  const signal = AbortSignal.any([request.signal, over.signal]);
  const found = source.find(key, signal);
  // apply awaits this; until then a rejection must not count as unhandled.
  found.catch(() => {});
  return {
    found: async () => void (await found),
    apply: async () => {
      const manifest = await found;
      const applied =
        manifest === undefined
          ? undefined
          : await restoreAttributes({ source, programs, volumePath, signal }, manifest);
      if (applied === undefined) {
        warn(
          options,
          request,
          `the attribute manifest of snapshot ${snapshotID} is missing from the repository; not given back: ${lost}`,
        );
        return;
      }
      tell(options, request, applied);
    },
    release: async () => {
      over.abort();
      await found.catch(() => {});
    },
  };
}

/** The manifest is in a tag and already read. */
function inTag(options: AttributeOptions, request: DownloadRequest, lines: Uint8Array): PreparedAttributes {
  const { programs } = options;
  const { volumePath, signal } = request;
  const apply = async () => tell(options, request, await applyAttributes({ programs, volumePath, signal }, [lines]));
  return { ...nothing, apply };
}

function tell(options: AttributeOptions, request: DownloadRequest, applied: Applied): void {
  const { records, skipped, sockets } = applied;
  options.log.info({ records, skipped, sockets }, 'attributes are given back');
  for (const text of warningsOf(applied)) warn(options, request, text);
}

function warn({ log }: AttributeOptions, { snapshotID, onWarning }: DownloadRequest, text: string): void {
  log.warn({ snapshotID }, text);
  onWarning?.(text);
}

/** Warnings for the user after a restore that otherwise succeeded. */
export function warningsOf({ complaints }: Applied): string[] {
  if (complaints.count === 0) return [];
  const more = complaints.count > complaints.told.length ? ' …' : '';
  return [`${complaints.count} attributes could not be given back: ${complaints.told.join('; ')}${more}`];
}
