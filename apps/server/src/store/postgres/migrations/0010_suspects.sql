CREATE TABLE "tidemark"."suspects" (
	"namespace_id" text NOT NULL,
	"device_id" text NOT NULL,
	"above_seq" bigint NOT NULL,
	"since_ms" bigint NOT NULL,
	"set_by" text NOT NULL,
	"set_by_device" text NOT NULL,
	"set_at_ms" bigint NOT NULL,
	CONSTRAINT "suspects_namespace_id_device_id_pk" PRIMARY KEY("namespace_id","device_id")
);
