import type { DownloadRequest } from '@lateen/datapath';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';
import type { Applied } from './apply-attributes.ts';
import { wantsAttributes } from './attributes-wanted.ts';
import { findManifest, restoreAttributes } from './restore-attributes.ts';

/** The attributes of a restore that has begun. */
export interface PreparedAttributes {
  /** Resolves when the manifest is found, or known to be missing. @throws as `findManifest` */
  found(): Promise<void>;
  /** To be called when the tree is there. @throws as `findManifest` and `restoreAttributes` */
  apply(): Promise<void>;
  /** Ends what runs; to be called in any case. */
  release(): Promise<void>;
}

const nothing: PreparedAttributes = { found: async () => {}, apply: async () => {}, release: async () => {} };

const lost =
  'hard links, extended attributes, ACLs, file capabilities, FIFOs, devices, the times of folders and times of links below a microsecond';

/**
 * Looks for the attribute manifest of a snapshot while the tree is being restored, so that it costs no time of its own.
 * A manifest that is missing does not stop a restore: the data is whole, and on the worst day it is better to have it; but
 * it is told in the log and as a warning of the movement (docs/adr/0009-attribute-manifest.md).
 */
export function prepareAttributes(
  options: KopiaUploaderOptions,
  request: DownloadRequest,
  key: string | undefined,
): PreparedAttributes {
  const { session, programs, log } = options;
  const { volumePath, snapshotID } = request;
  if (!wantsAttributes(request.config)) {
    log.info({ snapshotID }, 'AttributeManifest is "false": attributes are not given back');
    return nothing;
  }
  if (key === undefined) {
    log.info({ snapshotID }, `the snapshot has no attribute manifest; not given back if the source had them: ${lost}`);
    return nothing;
  }
  const warn = (text: string): void => {
    log.warn({ snapshotID, attributesKey: key }, text);
    request.onWarning?.(text);
  };
  const over = new AbortController();
  const signal = AbortSignal.any([request.signal, over.signal]);
  const found = findManifest(session, key, signal);
  // Awaited in apply; until then a rejection must not count as unhandled.
  found.catch(() => {});
  return {
    found: async () => void (await found),
    apply: async () => {
      const manifest = await found;
      const applied =
        manifest === undefined
          ? undefined
          : await restoreAttributes({ session, programs, volumePath, signal }, manifest);
      if (applied === undefined) {
        warn(
          `the attribute manifest of snapshot ${snapshotID} is missing from the repository; not given back: ${lost}`,
        );
        return;
      }
      const { records, skipped, sockets } = applied;
      log.info({ records, skipped, sockets }, 'attributes are given back');
      for (const text of warningsOf(applied)) warn(text);
    },
    release: async () => {
      over.abort();
      await found.catch(() => {});
    },
  };
}

/** What a person should know of a restore that went well otherwise. */
export function warningsOf({ complaints }: Applied): string[] {
  if (complaints.count === 0) return [];
  const more = complaints.count > complaints.told.length ? ' …' : '';
  return [`${complaints.count} attributes could not be given back: ${complaints.told.join('; ')}${more}`];
}
