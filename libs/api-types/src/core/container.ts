/** One container of a pod. */
export interface Container {
  name: string;
  image?: string;
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: EnvVar[];
  envFrom?: { [field: string]: unknown }[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: VolumeDevice[];
  resources?: ResourceRequirements;
  securityContext?: ContainerSecurityContext;
  ports?: { name?: string; containerPort: number; protocol?: string; hostPort?: number }[];
  terminationMessagePath?: string;
  terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
  [field: string]: unknown;
}

/** Either a value or where it comes from (a field of the pod, a Secret's key). */
export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: { apiVersion?: string; fieldPath: string };
    secretKeyRef?: { name?: string; key: string; optional?: boolean };
    configMapKeyRef?: { name?: string; key: string; optional?: boolean };
    [field: string]: unknown;
  };
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  subPath?: string;
  readOnly?: boolean;
  mountPropagation?: 'None' | 'HostToContainer' | 'Bidirectional';
  [field: string]: unknown;
}

/** A raw block device at a path. */
export interface VolumeDevice {
  name: string;
  devicePath: string;
}

/** Quantities, for example `{ cpu: '500m', memory: '256Mi' }`. */
export interface ResourceRequirements {
  requests?: Record<string, string>;
  limits?: Record<string, string>;
}

export interface ContainerSecurityContext {
  privileged?: boolean;
  runAsUser?: number;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  readOnlyRootFilesystem?: boolean;
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[]; drop?: string[] };
  seLinuxOptions?: { type?: string; level?: string; role?: string; user?: string };
  [field: string]: unknown;
}
