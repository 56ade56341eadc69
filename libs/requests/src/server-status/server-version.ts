import { spokenVersion } from '@lateen/api-types';

/**
 * What a server of ours says it is: `v1.18.0+lateen.0.1.0`. Clients compare major and minor with their own and warn when
 * they differ (cli.md section 11); what follows the plus is metadata to them, and tells people who really answers.
 */
export const serverVersion = (ownVersion: string): string => `${spokenVersion}+lateen.${ownVersion}`;
