import { annotations, type PersistentVolumeClaim } from '@lateen/api-types';
import type { ExposureSeen } from './exposure-seen.ts';
import { type Finding, nameOf, oneLine } from './finding.ts';
import { type NextStepTable, nextStepFor } from './next-step-table.ts';
import { eventsAbout, hasReason, newestTrouble, wordsOf } from './object-events.ts';

/** Reasons of the volume binder in kube-controller-manager and of the provisioner (external-provisioner, pkg/controller). */
const troubleReasons = ['ProvisioningFailed', 'FailedBinding', 'VolumeMismatch', 'ClaimLost', 'ClaimMisbound'];

/** Messages about a retry while the first call still runs, or about a call that took too long: both hide the driver's error. */
const vague = /code = (Aborted|DeadlineExceeded|Canceled)\b|context deadline exceeded|already exists for this volume/i;

const nextSteps: NextStepTable = [
  [/storageclass(es)?(\.storage\.k8s\.io)? .*not found/i, 'Create that StorageClass, or name another one.'],
  [/no storage class is set/i, 'Give the claim a storageClassName, or make a StorageClass the default one.'],
  [
    /snapshot .*(not found|does not exist|not exist)|NotFound desc = .*snapshot/i,
    'The snapshot is gone from the storage: take a new one.',
  ],
  [
    /ResourceExhausted|no space left|not enough|insufficient|OutOfRange|quota/i,
    'Make room on the storage behind this StorageClass.',
  ],
  [
    /Unauthenticated|PermissionDenied|credential/i,
    'Check the credentials of the CSI driver, named by the StorageClass.',
  ],
  [/InvalidArgument|invalid parameter|Unimplemented/i, 'Check the parameters of the StorageClass.'],
  [
    /Unavailable|connection refused|connection error|no such file or directory/i,
    'Check that the CSI driver runs, and its log.',
  ],
  [/error getting handle for DataSource/i, 'Check the VolumeSnapshot that the claim is made from.'],
  [vague, 'The CSI driver does not answer in time: check that it runs, and its log.'],
];

const isBound = (claim: PersistentVolumeClaim): boolean => claim.status?.phase === 'Bound';

/** The volume binder or the provisioner reports why the volume could not be created or bound. */
export function claimHasFailed({ claim, events }: ExposureSeen): Finding | undefined {
  if (claim === undefined || isBound(claim)) return undefined;
  if (claim.status?.phase === 'Lost')
    return {
      cause: `PersistentVolumeClaim ${nameOf(claim)} has lost its volume ${claim.spec.volumeName ?? ''}`.trim(),
    };
  const event = newestTrouble(eventsAbout(events, claim), {
    reasons: troubleReasons,
    overBy: ['ProvisioningSucceeded'],
    vague,
  });
  if (event === undefined) return undefined;
  const words = oneLine(wordsOf(event));
  return {
    cause: `volume of PersistentVolumeClaim ${nameOf(claim)} cannot be provisioned: ${words}`,
    nextStep: nextStepFor(nextSteps, words),
  };
}

/** True while a claim that binds at once has no volume: the scheduler's message about the pod is then a consequence. */
export function claimHoldsPodBack({ claim, storageClass }: ExposureSeen): boolean {
  return claim !== undefined && !isBound(claim) && storageClass?.volumeBindingMode !== 'WaitForFirstConsumer';
}

/** Nothing has failed, but there is no volume: names the component that has to act next. */
export function claimIsPending({ claim, storageClass, events }: ExposureSeen): Finding | undefined {
  if (claim === undefined || isBound(claim)) return undefined;
  const volumeName = claim.spec.volumeName ?? '';
  if (volumeName !== '')
    return {
      cause: `PersistentVolumeClaim ${nameOf(claim)} is not bound yet to PersistentVolume ${volumeName}, which it names`,
      nextStep: 'Check that kube-controller-manager runs: its volume binder binds them.',
    };
  const className = claim.spec.storageClassName ?? 'not set';
  const is = `PersistentVolumeClaim ${nameOf(claim)} has no volume yet (StorageClass ${className})`;
  if (claim.metadata.deletionTimestamp !== undefined) return { cause: `${is} and is being deleted` };
  const told = eventsAbout(events, claim);
  const node = claim.metadata.annotations?.[annotations.selectedNode];
  if (storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && node === undefined)
    return { cause: `${is}: it waits until the hosting pod is given a node` };
  const provisioner = storageClass?.provisioner;
  if (hasReason(told, 'Provisioning'))
    return {
      cause: `${is}: the provisioner${provisioner === undefined ? '' : ` of ${provisioner}`} is working on it`,
      nextStep: 'Check the log of the CSI driver if this takes long.',
    };
  if (hasReason(told, 'ExternalProvisioning') || provisioner !== undefined)
    return {
      cause: `${is}: no provisioner${provisioner === undefined ? '' : ` of ${provisioner}`} has started to create it`,
      nextStep:
        `Check that the CSI driver ${provisioner ?? ''} runs${node === undefined ? '' : ` on node ${node}`} with its csi-provisioner, and its log.`.replace(
          '  ',
          ' ',
        ),
    };
  return { cause: is, nextStep: 'Check that the StorageClass exists and that its provisioner runs.' };
}
