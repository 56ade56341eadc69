import type { AttachmentTicket, BackupMode, VolumeSpec } from '@lateen/storage-types';
import type { AnswerKind } from '../schema/volume-action-row.ts';

/** What an action of a volume is to bring about. Nothing here has happened yet. */
export type VolumeIntent =
  /** Only the answer is wanted. */
  | { readonly do: 'nothing' }
  | { readonly do: 'put-ticket'; readonly ticket: AttachmentTicket & { readonly id: string } }
  | { readonly do: 'drop-tickets'; readonly ids: readonly string[] }
  | { readonly do: 'salvage'; readonly replicas: readonly string[] }
  | { readonly do: 'set-spec'; readonly spec: Partial<VolumeSpec> }
  | { readonly do: 'set-labels'; readonly labels: Readonly<Record<string, string | null>> }
  | { readonly do: 'cancel-expansion' }
  | { readonly do: 'trim-filesystem' }
  | { readonly do: 'delete-replica'; readonly replica: string }
  | { readonly do: 'purge-snapshots' }
  /** `wait`: the answer comes when the snapshot is there. */
  | { readonly do: 'take-snapshot'; readonly name: string; readonly labels: Labels; readonly wait: boolean }
  /** The engine's snapshot is marked as removed; the next purge takes it. */
  | { readonly do: 'remove-snapshot'; readonly name: string }
  | { readonly do: 'delete-snapshot-object'; readonly name: string }
  | { readonly do: 'revert'; readonly snapshot: string }
  | {
      readonly do: 'back-up';
      readonly snapshot: string;
      readonly labels: Labels;
      readonly mode: BackupMode;
      readonly target: string;
    }
  | {
      readonly do: 'create-pv';
      readonly pvName: string;
      readonly fsType: string;
      readonly secretName: string;
      readonly secretNamespace: string;
      readonly storageClassName: string;
    }
  | { readonly do: 'create-pvc'; readonly namespace: string; readonly pvcName: string };

type Labels = Readonly<Record<string, string>>;

/** What is done, and what is answered after it. */
export interface VolumeActionPlan {
  readonly intent: VolumeIntent;
  readonly answer: AnswerKind;
  /** Name of the snapshot that the answer is about. */
  readonly about?: string;
}
