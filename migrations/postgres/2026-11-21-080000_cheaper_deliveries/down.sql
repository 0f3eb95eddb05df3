ALTER TABLE deliveries RESET (fillfactor);
ALTER TABLE delivery_attempts
    ADD FOREIGN KEY (organization_id, event_id, subscription_id)
        REFERENCES deliveries (organization_id, event_id, subscription_id);
