-- The namespace that never leaves the device, and the personal one as it is before pairing.
INSERT INTO replicas (namespace, name, kind, status, digest)
VALUES
  ('local', 'local', 'local', 'active', '0000000000000000'),
  ('personal', 'personal', 'personal', 'unpaired', '0000000000000000');
