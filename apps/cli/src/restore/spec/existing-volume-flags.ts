import { existingPolicies, failedVolumePolicies } from '@lateen/item-actions';
import type { Command } from 'commander';
import { withBooleanFlag, withBooleanOrDurationFlag } from '../../boolean-flag.ts';
import { collectList } from '../../collect-list.ts';
import { completedOption, severalOf } from '../../completion/completion.ts';
import { claimPolicies } from '../../completion/volume-names.ts';

/** Flags for volume data: what happens to the data of existing claims, and which pods wait for the data. */
export interface ExistingVolumeFlags {
  existingVolumeDataPolicy?: string;
  existingVolumes?: string[];
  deleteExtraFiles?: boolean;
  scaleWorkloads?: boolean;
  keepOldData?: boolean;
  waitForData?: boolean | string;
  onFailedPodVolume?: string;
}

/** Adds them. */
export function withExistingVolumeFlags(command: Command): Command {
  command
    .addOption(
      completedOption(
        '--existing-volume-data-policy <policy>',
        'what to do with the data of existing claims: none keeps it, full and incremental replace it (default: none)',
        existingPolicies,
      ),
    )
    .addOption(
      completedOption(
        '--existing-volumes <namespace/claim=policy,…>',
        'the same for single claims, named with the target namespace',
        severalOf(claimPolicies),
      ).argParser(collectList('--existing-volumes')),
    );
  command.addOption(
    completedOption(
      '--on-failed-pod-volume <wait|start>',
      'what a pod does when the file system restore of one of its volumes failed (default: wait)',
      failedVolumePolicies,
    ).choices(failedVolumePolicies),
  );
  withBooleanFlag(command, '--delete-extra-files', 'delete files of such claims that the backup does not have');
  withBooleanFlag(
    command,
    '--scale-workloads',
    'scale down workloads that use such claims, and up again when the data is there (default: false)',
  );
  withBooleanFlag(
    command,
    '--keep-old-data',
    'take snapshots of such claims first, for lateen restore rollback (default: true)',
  );
  return withBooleanOrDurationFlag(
    command,
    '--wait-for-data',
    'create pods only when the data of their claims is restored; a duration replaces the timeout of the server (default: false)',
  );
}
