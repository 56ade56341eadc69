import type { Int64, Integer, KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';

/**
 * An archive with logs and objects for the analysis of a problem. Lateen ignores objects of this kind; it exists so that clients of
 * Longhorn can list it.
 */
export interface SupportBundle extends KubeObject {
  spec: SupportBundleSpec;
  status?: SupportBundleStatus;
}

/** What the archive is made for. */
export interface SupportBundleSpec {
  /** Text that describes the problem. */
  description: string;
  /** URL of an issue about the problem. Empty: none. */
  issueURL?: string | null;
  /** Name of the node that creates the archive. */
  nodeID?: string;
}

/** Progress of the archive. */
export interface SupportBundleStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** State of the archive, such as `Generating`, `ReadyForDownload` or `Error`. */
  state?: string;
  /** Progress in percent, 0 to 100. */
  progress?: Integer;
  /** Name of the file with the archive. */
  filename?: string;
  /** Size of the file in bytes. */
  filesize?: Int64;
  /** Container image of the pod that creates the archive. */
  image?: string;
  /** IP address of that pod. */
  managerIP?: string;
  /** Conditions of the archive: what does not work, and why. */
  conditions?: Condition[];
}

export const supportBundleType = longhornType<SupportBundle>('SupportBundle', 'supportbundles');
