import { isHostLabel } from '@lateen/object-store';
import { accessPointOf, type S3Place, type S3StoreConfig } from './s3-config.ts';

/** What stores without regions expect in a signature, and where AWS answers for buckets of all regions. */
const regionDefault = 'us-east-1';
const awsEndpoint = /^s3[a-z0-9.-]*\.amazonaws\.com(\.cn)?$/;

/** The region that requests are signed for: given, or learned from what the store answers. */
export interface BucketRegion {
  current(): { region: string; place: S3Place };
  /**
   * Takes the region that a refusal names. Only when none was given: one that is wrong is for a person to correct.
   * @param used what the refused request was signed for
   * @returns true when the same request is worth another try
   */
  learn(named: string | undefined, used: string): boolean;
  /** True when a request has to be made to find out where the bucket is. */
  readonly isUnknown: boolean;
  /** A request was accepted or refused for another reason, so the region is right. */
  confirm(): void;
}

export function bucketRegion(config: S3StoreConfig): BucketRegion {
  const given = config.region || accessPointOf(config.bucket)?.region || '';
  let region = given || regionDefault;
  let learned = false;
  let confirmed = given !== '' || !awsEndpoint.test(config.endpoint);
  return {
    current: () => ({
      region,
      // Velero's form of a region's address (`s3-<region>`) leads nowhere in regions made since 2019 and in China
      // (AWS General Reference, "Amazon S3 endpoints and quotas").
      place:
        learned || config.endpoint === `s3-${region}.amazonaws.com`
          ? { ...config, endpoint: endpointIn(region, config.endpoint) }
          : config,
    }),
    learn: (named, used) => {
      if (given !== '' || named === undefined || !isHostLabel(named)) return false;
      // Told to go where it was already: that is a circle, unless another call has learned better meanwhile.
      if (named === used) return region !== used;
      region = named;
      learned = true;
      return true;
    },
    get isUnknown() {
      return !confirmed;
    },
    confirm: () => {
      confirmed = true;
    },
  };
}

/** AWS takes a request for a bucket only where the bucket is; others have one endpoint for all their regions. */
function endpointIn(region: string, endpoint: string): string {
  if (!awsEndpoint.test(endpoint)) return endpoint;
  return `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}
