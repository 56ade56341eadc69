export { readLocationCa, trustedAuthorities } from './authorities.ts';
export { type DownloadOptions, downloadFile } from './download-file.ts';
export type { LinkedFile } from './follow-link.ts';
export { findBackup, type LogsSource, locationOfRestore, logsOfBackup, logsOfRestore } from './logs-source.ts';
