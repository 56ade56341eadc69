import type { KubeObject } from '../meta/kube-object.ts';
import { coreType } from './core-type.ts';

export interface ServiceAccount extends KubeObject {
  secrets?: { name?: string }[];
  imagePullSecrets?: { name?: string }[];
  automountServiceAccountToken?: boolean;
}

export const serviceAccountType = coreType<ServiceAccount>('v1', 'ServiceAccount', 'serviceaccounts');
