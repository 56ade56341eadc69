import { isUnfitDataMover } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/** A movement, as its spec and its claim say. */
export interface MoverUse {
  dataMover: string | undefined;
  /** Absent is Filesystem. */
  volumeMode: string | undefined;
  /** The claim, for messages. */
  claim: { namespace: string; name: string };
  nextStep: string;
}

/** @throws EXPOSE_UNFIT_MOVER: `velero-block` is to move a volume with a file system */
export function requireFitMover({ dataMover, volumeMode, claim, nextStep }: MoverUse): void {
  if (!isUnfitDataMover(dataMover, volumeMode)) return;
  throw new AppError(
    'EXPOSE_UNFIT_MOVER',
    `PersistentVolumeClaim ${claim.namespace}/${claim.name} has volumeMode Filesystem, and data mover ${dataMover} moves only volumes of volumeMode Block`,
    { retry: 'never', nextStep },
  );
}
