export { type CertificateFiles, certificateFilesIn, writeCertificateFiles } from './certificate-files.ts';
export { type KeptCertificate, type TlsTexts, tlsTextsOf } from './certificate-secret.ts';
export { type CertificatePorts, ensureCertificate } from './keep-certificate.ts';
