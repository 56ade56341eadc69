import type { TicketType, Volume, VolumeSpec } from '@lateen/storage-types';
import type { AttachmentSeen } from '../attachment/attachment-seen.ts';
import { backupContent } from './backup-content.ts';
import { cloneContent } from './clone-content.ts';
import type { ContentKind, ContentState } from './content-kind.ts';

/** The kinds of first content of a volume other than zeros. The first one that its spec requests is used. */
export const contentKinds: readonly ContentKind[] = [backupContent, cloneContent];

/** Tickets of these types keep a volume attached while its first content is copied or restored; only the manager creates them. */
export const contentTickets: readonly TicketType[] = contentKinds.map(({ ticket }) => ticket);

export const contentKindOf = (spec: VolumeSpec): ContentKind | undefined =>
  contentKinds.find((kind) => kind.isAsked(spec));

/** The kind of first content of the volume and its state; undefined for a volume that begins with zeros. */
export function contentOf(volume: Volume): { readonly kind: ContentKind; readonly state: ContentState } | undefined {
  const kind = contentKindOf(volume.spec);
  return kind && { kind, state: kind.stateOf(volume) };
}

/** The kind of the content that is still missing. Until it is complete no client may use the volume, which would look empty. */
export function pendingContent(volume: Volume): ContentKind | undefined {
  const content = contentOf(volume);
  return content === undefined || content.state === 'there' ? undefined : content.kind;
}

/** Which tickets count while the content is incomplete; undefined when it is complete. */
export function attachedOnlyFor(volume: Volume): AttachmentSeen['onlyFor'] {
  const kind = pendingContent(volume);
  return kind && { types: [kind.ticket, 'volume-expansion-controller'], because: kind.because(volume) };
}
