export type { RestoreLimit, RestoreReport } from '@lateen/datapath';
