import type { KubeObject } from '../meta/kube-object.ts';
import { coreType } from './core-type.ts';

/** Times are RFC 3339 with microseconds (metav1.MicroTime). */
export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
    [field: string]: unknown;
  };
}

export const leaseType = coreType<Lease>('coordination.k8s.io/v1', 'Lease', 'leases');
